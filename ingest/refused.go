package ingest

import (
	"errors"
	"fmt"
	"time"

	"visualizer/ingest/source"
	"visualizer/schema"
)

// unheld is a live source whose stream doesn't wait: what it brings is refused
// when there is no more room for it.
type unheld interface {
	live
	// OnRefused has the source tell of each event that it refused, or of the
	// record that it would have set aside.
	OnRefused(func(schema.Event, error))
}

// toldEvery is how often one is told that more is refused.
const toldEvery = 10 * time.Second

// refusals returns what counts the events that src refuses. It is called by one
// goroutine and waits for nothing.
func (r *reader) refusals(src source.Source) func(schema.Event, error) {
	total, told := 0, time.Time{}
	return func(e schema.Event, err error) {
		if err == nil && !e.Crosses() {
			r.count(src, e) // it needs no room
			return
		}
		r.refused(e, err)
		total++
		if time.Since(told) < toldEvery {
			return
		}
		told = time.Now()
		failure := fmt.Errorf("%s: %w: %d are refused so far", src.Name(), errBufferFull, total)
		r.s.cfg.Log.Warn("the stream brings more than is stored", "err", failure)
		r.s.tally.failed(failure)
	}
}

var errBufferFull = errors.New("the buffer is full: NATS takes tweets slower than the stream brings them, or not at all")

// refused counts an event that is lost. What stood only beside another tweet is
// counted nowhere but in the metrics, as if it had come through.
func (r *reader) refused(e schema.Event, err error) {
	if err == nil {
		r.s.metrics.received.WithLabelValues(string(e.Kind)).Inc()
	}
	r.s.metrics.rejected.WithLabelValues(string(schema.BufferFull)).Inc()
	if e.Kind == schema.KindReferenced {
		return
	}
	if e.Kind == schema.KindTweet {
		r.s.tally.arrived(time.Now())
	}
	r.s.tally.add(schema.StatusRejected+string(schema.BufferFull), 1)
}
