package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"visualizer/bench/load"
	"visualizer/bench/report"
	"visualizer/ingest/sim"
	"visualizer/schema"
)

var (
	// freshRates are the tweets a second at which is looked how fresh answers are.
	freshRates = []int{50, 1000, 5000}
	// loadConnections are the connections of the load of pages.
	loadConnections = []int{16, 60}
)

const (
	// pagesBeside is the load of pages while freshness is measured.
	pagesBeside = 200
	// loadPages and loadTweets are the rates of B8.
	loadPages, loadTweets = 2500, 5000
	// outage is how long Redis answers nobody, outageTweets the rate meanwhile.
	outage, outageTweets = 3 * time.Second, 1000
)

// emitter is a source that delivers so many tweets a second until it is stopped.
type emitter struct {
	*io.PipeReader
	out     *io.PipeWriter
	emitted atomic.Int64
	newest  atomic.Pointer[emitted]
}

// emitted is a tweet on its way.
type emitted struct {
	id string
	at time.Time
}

// emit starts an emitter of tweets that no stream has.
func (s *session) emit(ctx context.Context, rate int) *emitter {
	e := &emitter{}
	e.PipeReader, e.out = io.Pipe()
	options := sim.DefaultOptions()
	options.Resend, options.Delete, options.Edit = 0, 0, 0
	var id string
	options.Emitted = func(m sim.Emission) {
		if m.Kind == schema.KindTweet {
			id = m.Tweet.ID
		}
	}
	seed, start := s.another()
	world := sim.NewWorldWith(seed, options)
	go func() {
		defer e.out.Close()
		began := time.Now()
		var line []byte
		for n := int64(0); ; n++ {
			at := time.Duration(n) * time.Second / time.Duration(rate)
			if wait := at - time.Since(began); wait > 0 {
				select {
				case <-ctx.Done():
				case <-time.After(wait):
				}
			}
			if ctx.Err() != nil {
				return
			}
			line = world.Next(line[:0], start.Add(at))
			seen := &emitted{id, time.Now()}
			if _, err := e.out.Write(line); err != nil {
				return
			}
			e.emitted.Store(n + 1)
			e.newest.Store(seen)
		}
	}()
	return e
}

// live measures what reading and writing do to each other.
func (s *session) live(ctx context.Context, d *load.Data, st *store) (err error) {
	query, err := s.serve(ctx, d.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, query.Close()) }()
	a := newAsker(query.url, 4)
	defer a.Close()
	c, err := walk(ctx, a, d.Size)
	if err != nil {
		return err
	}
	for _, rate := range freshRates {
		if err := s.fresh(ctx, st, a, c, rate); err != nil {
			return err
		}
	}
	if err := s.catchUp(ctx, st); err != nil {
		return err
	}
	for _, connections := range loadConnections {
		if err := s.loaded(ctx, st, query.url, c, connections); err != nil {
			return err
		}
	}
	return nil
}

// during ingests so many tweets a second while work lasts.
func (s *session) during(ctx context.Context, st *store, rate int, work func(context.Context, *emitter) error) error {
	emitting, stop := context.WithCancel(ctx)
	defer stop()
	e := s.emit(emitting, rate)
	defer e.Close()
	in, err := s.ingest(ctx, st, e)
	if err != nil {
		return err
	}
	in.start(ctx)
	err = work(ctx, e)
	stop()
	return errors.Join(err, in.Wait())
}

// fresh measures how long it takes from a tweet's arrival until GraphQL finds it.
func (s *session) fresh(ctx context.Context, st *store, a *asker, c *cursors, rate int) error {
	var ages report.Sample
	err := s.during(ctx, st, rate, func(ctx context.Context, e *emitter) error {
		ctx, stop := context.WithTimeout(ctx, s.each*freshFor)
		defer stop()
		var g errgroup.Group
		g.Go(func() error { _, err := openLoad(ctx, a, c, pagesBeside, 2); return err })
		g.Go(func() (err error) { ages, err = s.ages(ctx, a, e); return err })
		return g.Wait()
	})
	if err != nil {
		return err
	}
	question := fmt.Sprintf("arrived → found by GraphQL, %d tweets/s, %d pages/s beside, %d looked for: ", rate, pagesBeside, len(ages))
	s.row(report.Row{Target: "B12", Question: question + "p50", A: "ingest and query", Answer: report.Sample{ages.Median()}, Unit: "ms"})
	s.row(report.Row{Target: "B12", Question: question + "p99", A: "ingest and query", Answer: report.Sample{ages.Quantile(0.99)}, Unit: "ms", Limit: report.AtMost(100)})
	return nil
}

// freshFor is how many times the scale's time freshness is looked at.
const freshFor = 50

// ages looks for the newest tweet again and again and returns how many ms after
// its arrival it was found.
func (s *session) ages(ctx context.Context, a *asker, e *emitter) (report.Sample, error) {
	var ages report.Sample
	var last *emitted
	for ctx.Err() == nil {
		t := e.newest.Load()
		if t == last {
			time.Sleep(time.Millisecond)
			continue
		}
		last = t
		for found := false; !found; {
			var got struct {
				Tweets struct {
					TotalCount int `json:"totalCount"`
				} `json:"tweets"`
			}
			asking, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
			err := a.ask(asking, `query($ids: [ID!]) { tweets(filter: {ids: $ids}, first: 1) { totalCount } }`, map[string]any{"ids": []string{t.id}}, &got)
			stop()
			if err != nil {
				return nil, err
			}
			if found = got.Tweets.TotalCount > 0; !found && time.Since(t.at) > patience {
				return nil, fmt.Errorf("tweet %s is not found in %s", t.id, patience)
			}
		}
		ages = append(ages, time.Since(t.at).Seconds()*1000)
	}
	return ages, nil
}

// catchUpTime is how long catching up is waited for: a line that is not faster
// than what comes never does.
const catchUpTime = 30 * time.Second

// catchUp has Redis answer nobody for a while and measures how fast what came
// meanwhile is stored.
func (s *session) catchUp(ctx context.Context, st *store) error {
	var rates report.Sample
	err := s.during(ctx, st, outageTweets, func(ctx context.Context, e *emitter) error {
		if err := st.awaitTaken(ctx, 1); err != nil {
			return err
		}
		if err := st.client.Do(ctx, st.client.B().ClientPause().Timeout(outage.Milliseconds()).All().Build()).Error(); err != nil {
			return fmt.Errorf("pause Redis: %w", err)
		}
		before, err := st.taken(ctx) // answered at the end of the pause
		if err != nil {
			return err
		}
		for began := time.Now(); ; time.Sleep(lookEvery) {
			n, err := st.taken(ctx)
			if err != nil {
				return err
			}
			took := time.Since(began)
			if behind := int(e.emitted.Load()) - n; behind < outageTweets/20 || took > catchUpTime {
				rates = append(rates, float64(n-before)/took.Seconds())
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	rates[0] /= outageTweets
	s.row(report.Row{
		Question: fmt.Sprintf("catching up with %d tweets/s after Redis answered nobody for %s ÷ that rate", outageTweets, outage),
		A:        "ingest", Answer: rates, Limit: report.AtLeast(2),
	})
	return nil
}

// loaded compares the slowest pages with and without ingest.
func (s *session) loaded(ctx context.Context, st *store, url string, c *cursors, connections int) error {
	a := newAsker(url, connections)
	defer a.Close()
	var with report.Sample
	p99 := func(ctx context.Context) (report.Reading, error) {
		ctx, stop := context.WithTimeout(ctx, s.each*loadFor)
		defer stop()
		times, err := openLoad(ctx, a, c, loadPages, connections)
		return report.Reading{Value: times.Quantile(0.99)}, err
	}
	beside := func(ctx context.Context) (reading report.Reading, err error) {
		err = s.during(ctx, st, loadTweets, func(ctx context.Context, e *emitter) error {
			began, before := time.Now(), e.emitted.Load()
			if reading, err = p99(ctx); err != nil {
				return err
			}
			if rate := float64(e.emitted.Load()-before) / time.Since(began).Seconds(); rate < 0.9*loadTweets {
				reading.Fault = fmt.Sprintf("only %.0f tweets/s were ingested", rate)
			}
			with = append(with, reading.Value)
			return nil
		})
		return reading, err
	}
	question := fmt.Sprintf("p99 of a page, %d pages/s over %d connections, uncached", loadPages, connections)
	err := s.pair(ctx, report.Pair{
		Target: "B8", Question: question + ": with ÷ without ingest", Unit: "ms",
		A:      report.Side{Name: fmt.Sprintf("with %d tweets/s", loadTweets), Measure: beside},
		B:      report.Side{Name: "without", Measure: p99},
		Limit:  report.AtMost(2),
		Rounds: s.rounds,
	})
	if err != nil {
		return err
	}
	most := 8.0
	if connections > 16 {
		most = 12
	}
	s.row(report.Row{Target: "B8", Question: question, A: "with ingest", Answer: with, Unit: "ms", Limit: report.AtMost(most)})
	return nil
}

// loadFor is how many times the scale's time the load lasts.
const loadFor = 15
