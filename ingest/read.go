package ingest

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"visualizer/ingest/source"
	"visualizer/schema"
)

// reader takes events from sources to the publisher and counts on the way what
// goes no further.
type reader struct {
	s         *Service
	publisher *Publisher
	limit     *rate.Limiter // nil: none
	bar       *bar
	told      counter
}

func newReader(s *Service, p *Publisher) *reader {
	r := &reader{s: s, publisher: p, bar: newBar(s.cfg.Bar, s.cfg.Sources)}
	if s.cfg.Rate > 0 {
		r.limit = rate.NewLimiter(rate.Limit(s.cfg.Rate), max(1, int(s.cfg.Rate/100)))
	}
	return r
}

// read takes one source to its end. Its error is also the status' last one.
func (r *reader) read(ctx context.Context, src source.Source) error {
	if s, ok := src.(unheld); ok {
		s.OnRefused(r.refusals(src))
	}
	if live, ok := src.(live); ok {
		return r.insist(ctx, live)
	}
	defer r.s.tally.ended(src)
	r.s.tally.state(src, schema.StateRunning)
	return r.events(ctx, src, nil)
}

// insist reads a live source to its end. One that can't be read any more, whose
// token was refused, say, has no end to be at: it is down until somebody has seen
// to that, and with Config.Stay it is tried again by the next startStream.
func (r *reader) insist(ctx context.Context, src live) error {
	for {
		r.s.troubles.note(partSource(src.Name()), nil)
		err := r.readLive(ctx, src)
		if err == nil {
			r.s.tally.ended(src)
			return nil
		}
		version := r.s.control.now().Version // before startStream can know of it
		r.s.troubles.note(partSource(src.Name()), err)
		r.s.tally.state(src, schema.StateReconnecting)
		r.s.cfg.Log.Error("a source is given up: mend it, then start again or call startStream", "source", src.Name(), "err", err)
		if !r.s.cfg.Stay || !r.s.control.startedAgain(ctx, version) {
			return err
		}
	}
}

// readLive reads a live source whenever the stream is started and no other
// service reads it.
func (r *reader) readLive(ctx context.Context, src live) error {
	src.Watch(func(state schema.StreamState, err error) { r.connection(src, state, err) })
	lease := newLease(r.s, src.Name())
	for {
		r.s.tally.state(src, schema.StateConnecting)
		started, cancel, err := r.s.control.started(ctx)
		if err != nil {
			return nil // ctx has ended
		}
		err = lease.hold(started, func(ctx context.Context, t *tenure) error { return r.events(ctx, src, t) })
		stopped := started.Err() != nil
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		if !stopped && !errors.Is(err, errLost) {
			return err
		}
	}
}

// events takes a source's events; t is the tenure of a live one.
func (r *reader) events(ctx context.Context, src source.Source, t *tenure) error {
	for event, err := range src.Events(ctx) {
		if err == nil {
			err = r.take(ctx, src, t, event)
		}
		if rejected, ok := errors.AsType[*source.Rejected](err); ok {
			if leave, err := r.enter(ctx, t, time.Now()); err == nil {
				r.setAside(src, rejected)
				leave()
			}
			continue
		}
		if errors.Is(err, errLost) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			r.s.tally.failed(err)
			return err
		}
		r.bar.update()
	}
	return nil
}

// enter waits until what was observed at a time may be counted and published,
// and fails when it may not. Until leave is called no stop is heeded.
func (r *reader) enter(ctx context.Context, t *tenure, observed time.Time) (leave func(), err error) {
	if t != nil && !t.covers(ctx, observed) {
		return nil, errLost
	}
	return r.s.control.enter(ctx)
}

// live is a source with a connection that can be down.
type live interface {
	source.Source
	// Watch has the source tell when its state changes, with the error that
	// ended a connection.
	Watch(func(schema.StreamState, error))
}

// connection notes the state of a live source.
func (r *reader) connection(src source.Source, state schema.StreamState, err error) {
	r.s.tally.state(src, state)
	switch {
	case err != nil:
		if down, ok := errors.AsType[*source.Down](err); ok {
			r.s.metrics.down.WithLabelValues(down.Problem).Inc()
		}
		r.s.cfg.Log.Warn("the stream is down", "err", err)
		r.s.tally.failed(err)
	case state == schema.StateRunning:
		r.s.cfg.Log.Debug("the stream is open")
	}
}

// take counts an event and publishes it when the writer must see it.
func (r *reader) take(ctx context.Context, src source.Source, t *tenure, e schema.Event) error {
	if e.Kind == schema.KindTweet {
		if err := r.pace(ctx, src); err != nil {
			return err
		}
	}
	leave, err := r.enter(ctx, t, observed(&e))
	if err != nil {
		return err
	}
	defer leave()
	r.count(src, e)
	if !e.Crosses() {
		return nil
	}
	if e.Kind == schema.KindTweet {
		r.s.tally.arrived(time.Now())
	}
	err = r.publisher.Add(e)
	if errors.Is(err, errTooLarge) {
		return r.tooLarge(src, e)
	}
	return err
}

// count counts an event that the writer need not see to be counted.
func (r *reader) count(src source.Source, e schema.Event) {
	r.s.metrics.received.WithLabelValues(string(e.Kind)).Inc()
	switch {
	case e.Kind == schema.KindBlank:
		r.s.tally.add(schema.StatusBlank, 1)
	case e.Control != "":
		r.s.tally.add(schema.StatusControl+e.Control, 1)
		if e.Control == unknownMessage && r.told.first(src.Name()+e.Control) {
			r.s.cfg.Log.Warn("messages of an unknown kind are counted and not kept", "source", src.Name())
		}
	}
}

// pace holds up a source that can wait: to the rate that was asked for, and to
// what the writer can store.
func (r *reader) pace(ctx context.Context, src source.Source) error {
	if _, ok := src.(live); ok {
		return nil
	}
	r.s.awaitRoom(ctx)
	if r.limit == nil {
		return nil
	}
	return r.limit.Wait(ctx)
}

// tooLarge sets an event aside that fits no message. Only what stood beside
// another tweet is not counted.
func (r *reader) tooLarge(src source.Source, e schema.Event) error {
	data, err := schema.Encode(e)
	if err != nil {
		return err
	}
	r.setAside(src, &source.Rejected{Reason: schema.TooLarge, Source: src.Name(), Raw: data, Size: len(data), Err: errTooLarge})
	return nil
}

func (r *reader) setAside(src source.Source, rejected *source.Rejected) {
	switch n := r.told.count(rejected.Source + string(rejected.Reason)); {
	case n <= toldRejects:
		r.s.cfg.Log.Warn("set a record aside", "source", rejected.Source, "line", rejected.Line, "reason", rejected.Reason, "err", rejected.Err)
	case n == toldRejects+1:
		r.s.cfg.Log.Warn("more records are set aside, and kept with their lines", "source", rejected.Source, "reason", rejected.Reason)
	}
	letter := schema.DeadLetter{
		Reason: rejected.Reason, Source: rejected.Source, Line: rejected.Line,
		Error: rejected.Err.Error(), Raw: rejected.Raw, Size: rejected.Size,
	}
	if _, ok := src.(live); ok {
		letter.ObservedAt = new(schema.TimeOf(time.Now()))
	}
	r.publisher.SetAside(letter)
}

const (
	// unknownMessage is the name of control messages that have none.
	unknownMessage = "unknown"
	// toldRejects is how many records of a file are logged for each reason: a
	// file of another kind would fill the log.
	toldRejects = 20
)

// counter counts what was logged, so that it is not logged without end.
type counter struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *counter) count(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[what]++
	return c.counts[what]
}

func (c *counter) first(what string) bool { return c.count(what) == 1 }
