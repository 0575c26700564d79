package ingest

import (
	"context"
	"errors"
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
	if s, ok := src.(live); ok {
		s.Watch(r.connection)
	} else {
		r.s.tally.state(schema.StateRunning)
	}
	for event, err := range src.Events(ctx) {
		if err == nil {
			err = r.take(ctx, src, event)
		}
		if rejected, ok := errors.AsType[*source.Rejected](err); ok {
			r.setAside(rejected)
			continue
		}
		if err != nil && ctx.Err() == nil {
			r.s.tally.failed(err)
			return err
		}
		r.bar.update()
	}
	return nil
}

// live is a source with a connection that can be down.
type live interface {
	source.Source
	// Watch has the source tell when its state changes, with the error that
	// ended a connection.
	Watch(func(schema.StreamState, error))
}

// connection notes the state of a live source.
func (r *reader) connection(state schema.StreamState, err error) {
	r.s.tally.state(state)
	if err != nil {
		r.s.tally.failed(err)
	}
}

// take counts an event and publishes it when the writer must see it.
func (r *reader) take(ctx context.Context, src source.Source, e schema.Event) error {
	r.s.metrics.received.WithLabelValues(string(e.Kind)).Inc()
	switch {
	case e.Kind == schema.KindBlank:
		r.s.tally.add(schema.StatusBlank, 1)
	case e.Control != "":
		r.s.tally.add(schema.StatusControl+e.Control, 1)
	}
	if !e.Crosses() {
		return nil
	}
	if e.Kind == schema.KindTweet {
		if err := r.pace(ctx, src); err != nil {
			return err
		}
		r.s.tally.arrived(time.Now())
	}
	err := r.publisher.Add(e)
	if errors.Is(err, errTooLarge) {
		return r.tooLarge(src, e)
	}
	return err
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
	r.setAside(&source.Rejected{Reason: schema.TooLarge, Source: src.Name(), Raw: data, Size: len(data), Err: errTooLarge})
	return nil
}

func (r *reader) setAside(rejected *source.Rejected) {
	r.s.cfg.Log.Warn("set a record aside", "source", rejected.Source, "line", rejected.Line, "reason", rejected.Reason, "err", rejected.Err)
	r.publisher.SetAside(schema.DeadLetter{
		Reason: rejected.Reason, Source: rejected.Source, Line: rejected.Line,
		Error: rejected.Err.Error(), Raw: rejected.Raw, Size: rejected.Size,
	})
}
