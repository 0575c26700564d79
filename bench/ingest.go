package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"visualizer/bench/load"
	"visualizer/bench/report"
)

// benchIngest asks how fast tweets get from a source to Redis, what that costs,
// and what reading and writing do to each other.
func benchIngest(ctx context.Context, s *session) error {
	for _, kind := range []day{newTweets, ordinary} {
		if err := s.fill(ctx, kind); err != nil {
			return err
		}
	}
	d, err := s.of(ctx, s.middle)
	if err != nil {
		return err
	}
	if err := s.onLoaded(ctx, d, s.live); err != nil || s.large == s.middle {
		return err
	}
	if d, err = s.of(ctx, s.large); err != nil {
		return err
	}
	return s.onLoaded(ctx, d, s.grow)
}

// onLoaded runs a bench on a loaded Redis, which then keeps an append-only file,
// and has a broker beside it.
func (s *session) onLoaded(ctx context.Context, d *load.Data, bench func(context.Context, *load.Data, *store) error) (err error) {
	st, err := s.openStore(ctx, d.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.durable(ctx); err != nil {
		return err
	}
	return bench(ctx, d, st)
}

// fill compares ingest with plain JSON.SET into an empty store.
func (s *session) fill(ctx context.Context, kind day) error {
	str, err := s.stream(ctx, kind, s.filled)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s, the first %s", kind.name, report.Count(str.tweets))
	s.note("%s tweets: with those they refer to, tweets are told %s times", name, report.Count(len(str.docs)))
	var c costs
	fresh := func(measure func(*store) (report.Reading, error)) func(context.Context) (report.Reading, error) {
		return func(ctx context.Context) (reading report.Reading, err error) {
			st, err := s.openStore(ctx, "")
			if err != nil {
				return reading, err
			}
			defer func() { err = errors.Join(err, st.Close()) }()
			return measure(st)
		}
	}
	err = s.pair(ctx, report.Pair{
		Target: "B6", Question: name + ": ingest, end to end ÷ plain pipelined JSON.SET of all that is told", Unit: "tweets/s",
		A:      report.Side{Name: "ingest", Measure: fresh(func(st *store) (report.Reading, error) { return s.ingestAll(ctx, st, str, &c) })},
		B:      report.Side{Name: "JSON.SET", Measure: fresh(func(st *store) (report.Reading, error) { return plainAll(ctx, st, str, &c) })},
		Limit:  report.AtLeast(0.8),
		Rounds: s.rounds,
	})
	if err != nil {
		return err
	}
	s.rate(name, c.rates, s.atFullSize(report.AtLeast(10_000)))
	c.rows(s, kind.name)
	return nil
}

// grow compares ingest with plain JSON.SET where many tweets are stored.
func (s *session) grow(ctx context.Context, d *load.Data, st *store) error {
	var c costs
	next := func(measure func(context.Context, *store, *stream, *costs) (report.Reading, error)) func(context.Context) (report.Reading, error) {
		return func(ctx context.Context) (report.Reading, error) {
			str, err := s.stream(ctx, ordinary, s.filled/4)
			if err != nil {
				return report.Reading{}, err
			}
			return measure(ctx, st, str, &c)
		}
	}
	err := s.pair(ctx, report.Pair{
		Target: "B6", Question: tweets(d) + " stored, more of an ordinary day: ingest, end to end ÷ plain pipelined JSON.SET of all that is told", Unit: "tweets/s",
		A:      report.Side{Name: "ingest", Measure: next(s.ingestAll)},
		B:      report.Side{Name: "JSON.SET", Measure: next(plainAll)},
		Limit:  report.AtLeast(0.8),
		Rounds: s.rounds,
	})
	if err != nil {
		return err
	}
	s.rate(tweets(d)+" stored, more of an ordinary day", c.rates, s.atFullSize(report.AtLeast(8_000)))
	return nil
}

func (s *session) rate(question string, rates report.Sample, limit report.Limit) {
	s.row(report.Row{Target: "B6", Question: question, A: "ingest", Answer: rates, Unit: "tweets/s", Limit: limit})
}

// ingestAll measures ingest from the first line read to the last tweet stored.
// What is stored is synced and acked meanwhile, the last of it behind the clock.
func (s *session) ingestAll(ctx context.Context, st *store, str *stream, c *costs) (report.Reading, error) {
	before, err := st.cpu(ctx)
	if err != nil {
		return report.Reading{}, err
	}
	in, err := s.ingest(ctx, st, bytes.NewReader(str.lines))
	if err != nil {
		return report.Reading{}, err
	}
	p := startProfile()
	began := time.Now()
	in.start(ctx)
	err = st.awaitTaken(ctx, str.tweets)
	took := time.Since(began).Seconds()
	err = errors.Join(err, p.stop(&c.profiles))
	after, cpuErr := st.cpu(ctx)
	if err = errors.Join(err, cpuErr, in.Wait()); err != nil {
		return report.Reading{}, err
	}
	rate := float64(str.tweets) / took
	c.add(str, rate, after-before, p.peak)
	return report.Reading{Value: rate}, nil
}

// plainAll measures plain JSON.SET, in the tweets that the documents belong to.
func plainAll(ctx context.Context, st *store, str *stream, c *costs) (report.Reading, error) {
	before, err := st.cpu(ctx)
	if err != nil {
		return report.Reading{}, err
	}
	began := time.Now()
	if err := str.storePlain(ctx, st.client); err != nil {
		return report.Reading{}, err
	}
	took := time.Since(began).Seconds()
	after, err := st.cpu(ctx)
	c.plain = append(c.plain, 1e6*(after-before)/float64(str.tweets))
	return report.Reading{Value: float64(str.tweets) / took}, err
}
