package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"visualizer/bench/k6"
	"visualizer/bench/load"
	"visualizer/bench/report"
)

// plainCommand is a sorted page as one asks for it without a plan.
var plainCommand = []string{"FT.SEARCH", "tweets", "@hasGeo:{1}", "SORTBY", "username", "LIMIT", "0", "10"}

// benchK6 puts the plain load on GraphQL and on Redis in turn: is the answer of
// GraphQL cheaper than the naive command, and what does it cost above the
// commands of its own plan?
func benchK6(ctx context.Context, s *session) (err error) {
	runner, err := k6.New(ctx, os.Stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	if err := s.loadBy(ctx, runner, s.middle, report.AtLeast(4), true); err != nil || s.large == s.middle {
		return err
	}
	return s.loadBy(ctx, runner, s.large, report.AtLeast(100), false)
}

// loadBy measures with a number of tweets: the plain load and, if asked for,
// requests that are all different.
func (s *session) loadBy(ctx context.Context, runner *k6.Runner, size int, limit report.Limit, different bool) (err error) {
	d, err := s.of(ctx, size)
	if err != nil {
		return err
	}
	query, err := s.serve(ctx, d.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, query.Close()) }()
	l := loads{runner, d, query, s.stages}
	newest := []request{{Variables: map[string]any{"first": pageSize}, IDs: d.Newest}}
	located := []request{{Commands: [][]string{plainCommand}, Usernames: d.Located}}
	if err := s.pair(ctx, report.Pair{
		Target: "B1", Question: tweets(d) + ", the plain load: newest 10 by GraphQL ÷ the plain FT.SEARCH straight to Redis",
		Unit: "answers", A: l.graphQL(newest), B: l.redis("FT.SEARCH", located), Limit: limit, Rounds: s.loads,
	}); err != nil || !different {
		return err
	}
	all, err := s.plans(ctx, d)
	if err != nil {
		return err
	}
	return s.pair(ctx, report.Pair{
		Target: "B2", Question: tweets(d) + ", the same load, every request another filter or cursor: GraphQL ÷ the planner's commands straight to Redis",
		Unit: "answers", A: l.graphQL(all), B: l.redis("commands", all), Limit: report.AtLeast(0.5), Rounds: s.loads,
	})
}

// request is one that k6 sends, to GraphQL or to Redis, and what must come back.
type request struct {
	Variables map[string]any `json:"variables"`
	Commands  [][]string     `json:"commands,omitempty"`
	IDs       []string       `json:"ids,omitempty"`
	Usernames []string       `json:"usernames,omitempty"`
}

// loads are the two ways to ask for the same data.
type loads struct {
	runner *k6.Runner
	data   *load.Data
	query  *service
	stages string
}

func (l loads) graphQL(requests []request) report.Side {
	return l.side("GraphQL", k6.Load{Script: k6.GraphQL, URL: l.query.url, Stages: l.stages, Requests: requests})
}

func (l loads) redis(name string, requests []request) report.Side {
	return l.side(name, k6.Load{Script: k6.Redis, URL: "redis://" + l.data.Address, Stages: l.stages, Requests: requests})
}

// side measures how many right answers a load gets. Wrong ones are a fault of
// the row and not of the bench.
func (l loads) side(name string, load k6.Load) report.Side {
	return report.Side{Name: name, Measure: func(ctx context.Context) (report.Reading, error) {
		if err := idle(ctx, l.data); err != nil {
			return report.Reading{}, err
		}
		result, err := l.runner.Run(ctx, load)
		reading := report.Reading{Value: float64(result.Good)}
		if errors.Is(err, k6.ErrWrong) {
			reading.Fault, err = fmt.Sprintf("only %d of %d answers were right", result.Good, result.Requests), nil
		}
		return reading, err
	}}
}

const (
	quickPing  = 10 * time.Millisecond
	quickPings = 10
	// idleTime is how long Redis may need for what waits there.
	idleTime = 3 * time.Minute
)

// idle returns when Redis answers at once, again and again: commands whose
// client has gone may still be waiting there.
func idle(ctx context.Context, d *load.Data) error {
	ctx, cancel := context.WithTimeout(ctx, idleTime)
	defer cancel()
	tick := time.NewTicker(quickPing)
	defer tick.Stop()
	for quick := 0; quick < quickPings; {
		began := time.Now()
		err := d.Client.Do(ctx, d.Client.B().Ping().Build()).Error()
		if quick++; err != nil || time.Since(began) > quickPing {
			quick = 0
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until Redis has nothing to do: %w", cmp.Or(err, ctx.Err()))
		case <-tick.C:
		}
	}
	return nil
}
