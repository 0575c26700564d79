package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"

	"visualizer/bench/load"
	"visualizer/bench/report"
)

// pageQuery is the operation of graphql.ts.
const pageQuery = `query Page($filter: TweetFilter, $orderBy: TweetOrder, $first: Int, $after: String) {
  tweets(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      id text createdAt
      author { id username name }
      hashtags
      metrics { likes retweets replies quotes bookmarks impressions }
    }
  }
}`

// benchEdge asks the service over HTTP: what does GraphQL add to its own
// commands, what does a tweet cost to write, how many pages a second are there,
// and what does a subscriber cost?
func benchEdge(ctx context.Context, s *session) (err error) {
	d, err := s.of(ctx, s.scale.middle)
	if err != nil {
		return err
	}
	query, err := s.serve(ctx, d.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, query.Close()) }()
	all, err := s.plans(ctx, d)
	if err != nil {
		return err
	}
	e := edge{session: s, data: d, url: query.url}
	if e.different, err = asked(all); err != nil {
		return err
	}
	if e.same, err = asked([]request{{Variables: map[string]any{"first": pageSize}, IDs: d.Newest}}); err != nil {
		return err
	}
	for _, part := range []func() error{
		func() error { return e.added(ctx, all) },
		func() error { return e.kept(ctx) },
		func() error { return e.writing(ctx) },
		func() error { return e.rates(ctx) },
		func() error { return benchSubscribers(ctx, s) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// edge is the service with what it is asked.
type edge struct {
	*session
	data      *load.Data
	url       string
	different []question
	same      []question
	turn      atomic.Int64 // whose turn it is of the different ones
}

// question is the body of a request, and how its answer begins.
type question struct{ body, answer []byte }

func asked(requests []request) ([]question, error) {
	questions := make([]question, len(requests))
	for i, r := range requests {
		body, err := json.Marshal(map[string]any{"query": pageQuery, "variables": r.Variables})
		if err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		questions[i] = question{body, fmt.Appendf(nil, `{"data":{"tweets":{"nodes":[{"id":"%s",`, r.IDs[0])}
	}
	return questions, nil
}

// longer is how much longer than a page elsewhere is measured here, where two
// processes take turns.
const longer = 5

// added compares the time of a page with that of its own commands.
func (e *edge) added(ctx context.Context, all []request) error {
	client := newWires(e.url, 1)
	defer client.Close()
	direct, err := directly(e.data.URL)
	if err != nil {
		return err
	}
	defer direct.Close()
	commands := e.commands(direct, all)
	return e.pair(ctx, report.Pair{
		Target: "B7", Question: tweets(e.data) + ", one connection, every request another filter or cursor, p50: GraphQL − its own commands", Unit: "ms",
		A:      report.Side{Name: "GraphQL", Measure: e.p50(func() error { return e.ask(ctx, client, e.next()) })},
		B:      report.Side{Name: "commands", Measure: e.p50(commands)},
		Answer: report.Difference, Limit: report.AtMost(0.3), Rounds: e.rounds,
	})
}

// directly returns a client that does without goroutines of its own, as wires do.
func directly(redisURL string) (rueidis.Client, error) {
	option, err := rueidis.ParseURL(redisURL)
	if err != nil {
		return nil, err
	}
	option.DisableCache = true // whose messages would be waited for
	return rueidis.NewClient(option)
}

// commands sends those of one request after another, and reads no answer.
func (e *edge) commands(client rueidis.Client, all []request) func() error {
	turn := 0
	// One that may be cancelled is given to another goroutine.
	ctx := context.Background()
	return func() error {
		r := all[turn%len(all)]
		turn++
		for _, c := range r.Commands {
			cmd := client.B().Arbitrary(c[0]).Keys(c[1]).Args(c[2:]...).ReadOnly()
			if err := client.Do(ctx, cmd).Error(); err != nil {
				return fmt.Errorf("%s: %w", c[0], err)
			}
		}
		return nil
	}
}

// kept asks for a page that the service has in memory, but not as an answer:
// what is left is HTTP and GraphQL.
func (e *edge) kept(ctx context.Context) error {
	client := newWires(e.url, 1)
	defer client.Close()
	n := 0
	ask := func() error {
		q := e.same[0]
		n++ // no answer to these very bytes is kept
		q.body = append(fmt.Appendf(nil, `{"extensions":{"n":%d},`, n), q.body[1:]...)
		return e.ask(ctx, client, q)
	}
	return e.pair(ctx, report.Pair{
		Question: tweets(e.data) + ", one connection, p50 of the newest 10: the page kept, its answer made ÷ the answer kept", Unit: "ms",
		A:      report.Side{Name: "the page kept", Measure: e.p50(ask)},
		B:      report.Side{Name: "the answer kept", Measure: e.p50(func() error { return e.ask(ctx, client, e.same[0]) })},
		Rounds: e.rounds,
	})
}

func (e *edge) p50(ask func() error) func(context.Context) (report.Reading, error) {
	return func(context.Context) (report.Reading, error) { return median(longer*e.each, ask) }
}

// rates counts the pages a second by how many ask at a time.
func (e *edge) rates(ctx context.Context) error {
	for _, connections := range []int{1, askers, 60} {
		if err := e.pair(ctx, report.Pair{
			Question: fmt.Sprintf("%s, %d connections: the newest 10 again and again ÷ every request another filter or cursor", tweets(e.data), connections), Unit: "pages/s",
			A:      report.Side{Name: "cached", Measure: e.rate(connections, func() question { return e.same[0] })},
			B:      report.Side{Name: "uncached", Measure: e.rate(connections, e.next)},
			Rounds: e.rounds,
		}); err != nil {
			return err
		}
	}
	return nil
}

// next is a question that was not asked for some time.
func (e *edge) next() question { return e.different[int(e.turn.Add(1))%len(e.different)] }

func (e *edge) rate(connections int, next func() question) func(context.Context) (report.Reading, error) {
	return func(ctx context.Context) (report.Reading, error) {
		client := newWires(e.url, connections)
		defer client.Close()
		var g errgroup.Group
		var answered atomic.Int64
		began := time.Now()
		for range connections {
			g.Go(func() error {
				for time.Since(began) < longer*e.each {
					if err := e.ask(ctx, client, next()); err != nil {
						return err
					}
					answered.Add(1)
				}
				return nil
			})
		}
		err := g.Wait()
		return report.Reading{Value: float64(answered.Load()) / time.Since(began).Seconds()}, err
	}
}

// ask returns an error unless the answer is the page that was asked for.
func (e *edge) ask(ctx context.Context, client *wires, q question) error {
	_, text, err := client.post(ctx, q.body)
	if err == nil && !bytes.HasPrefix(text, q.answer) {
		err = fmt.Errorf("ask %s: %.300s is not the page that begins with %s", q.body, text, q.answer)
	}
	return err
}
