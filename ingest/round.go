package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/sync/errgroup"

	"visualizer/schema"
)

const (
	// minChunk and maxChunk bound the events of one transaction, and with them
	// how long Redis answers no query: 50 documents take it about 4 ms. Large
	// ones cost less a tweet, so they grow with what waits.
	minChunk = 16
	maxChunk = 128
	// chunks is how many transactions a round is cut into until they would be
	// smaller than minChunk.
	chunks = 8
	// maxRound is the events of a round, from which on it takes no further
	// message.
	maxRound = 4096
)

// round is messages that are stored together: first the events that concern one
// tweet each, lane by lane, side by side; then the exclusive ones. Holding all
// lanes for each of them would have the lanes wait all the time.
//
// Events about one tweet stay in order, though: one that comes behind an
// exclusive event about its tweet goes with the exclusive ones. Which those are
// is decided within a message, since it must come out the same whenever the
// message is delivered: what was executed is noted by lane.
type round struct {
	messages  []*message
	events    int
	lanes     [][]part
	all       []part
	exclusive map[string]bool // tweets that exclusive events are about
}

func newRound(lanes int) *round {
	return &round{lanes: make([][]part, lanes), exclusive: map[string]bool{}}
}

// add takes a message, unless an event of it must wait for an exclusive one of
// another message.
func (r *round) add(m *message, events []work) bool {
	for _, e := range events {
		if !e.exclusive() && r.exclusive[e.ids()[0]] {
			return false
		}
	}
	lanes := make([][]work, len(r.lanes))
	var all []work
	for _, e := range events {
		if e.exclusive() || r.exclusive[e.ids()[0]] {
			all = append(all, e)
			for _, id := range e.ids() {
				r.exclusive[id] = true
			}
			continue
		}
		n := e.lane(len(lanes))
		lanes[n] = append(lanes[n], e)
	}
	of := delivery{}
	if m != nil {
		of = m.of
		r.messages = append(r.messages, m)
	}
	for n, events := range lanes {
		if len(events) > 0 {
			r.lanes[n] = append(r.lanes[n], part{events: events, of: of, lane: n, message: m})
		}
	}
	if len(all) > 0 {
		r.all = append(r.all, part{events: all, of: of, lane: allLanes, message: m})
	}
	r.events += len(events)
	return true
}

// chunk is how many events go into one transaction.
func (r *round) chunk() int { return max(minChunk, min(maxChunk, r.events/chunks)) }

// cut divides parts into chunks of so many events.
func cut(parts []part, size int) (cut [][]part) {
	var chunk []part
	room := size
	for _, p := range parts {
		for len(p.events) > 0 {
			head := p
			head.events = p.events[:min(len(p.events), room)]
			p.events = p.events[len(head.events):]
			chunk = append(chunk, head)
			if room -= len(head.events); room == 0 {
				cut, chunk, room = append(cut, chunk), nil, size
			}
		}
	}
	if len(chunk) > 0 {
		cut = append(cut, chunk)
	}
	return cut
}

// storeAll stores what is pulled, in rounds of what is there.
func (w *Writer) storeAll(work context.Context, held *held, pulled <-chan *message) {
	var next *message
	for {
		if next == nil {
			if next = <-pulled; next == nil {
				return
			}
		}
		r := newRound(len(w.lanes))
		r.add(next, w.worksOf(&next.batch))
		next = w.gather(r, pulled)
		if w.storeRound(work, r) != nil {
			continue // work has ended: the messages come again
		}
		for _, m := range r.messages {
			w.found(m)
			held.stored(m)
		}
	}
}

// found notes that a message is in Redis.
func (w *Writer) found(m *message) {
	w.metrics.store.Observe(m.of.since())
	m.span.End()
	m.span = startChild(w.tracer, m.span, spanSync)
}

// gather adds the messages that are there. It returns one that has to wait.
func (w *Writer) gather(r *round, pulled <-chan *message) *message {
	for r.events < maxRound {
		select {
		case m := <-pulled:
			if m == nil {
				return nil
			}
			if !r.add(m, w.worksOf(&m.batch)) {
				return m
			}
		default:
			return nil
		}
	}
	return nil
}

// storeMessage stores a message alone.
func (w *Writer) storeMessage(ctx context.Context, m *message) error {
	r := newRound(len(w.lanes))
	r.add(m, w.worksOf(&m.batch))
	return w.storeRound(ctx, r)
}

// storeTouches stores events that are of no message.
func (w *Writer) storeTouches(ctx context.Context, touches []work) error {
	r := newRound(len(w.lanes))
	r.add(nil, touches)
	return w.storeRound(ctx, r)
}

func (w *Writer) worksOf(b *schema.Batch) []work {
	works := make([]work, len(b.Events))
	for i := range b.Events {
		works[i] = work{event: &b.Events[i], place: b.Place + uint64(i), leftover: b.Run != w.run}
	}
	return works
}

// storeRound returns when all of a round is executed, or ctx has ended.
func (w *Writer) storeRound(ctx context.Context, r *round) error {
	size := r.chunk()
	var g errgroup.Group
	for n, parts := range r.lanes {
		g.Go(func() error { return w.storeIn(ctx, w.lanes[n], cut(parts, size)) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if _, err := w.store(ctx, w.all, cut(r.all, size)); err != nil {
		return err
	}
	return w.sweep(ctx, worksOf(r.all))
}

// storeIn stores chunks in a lane. One that the lane can't take goes through all.
func (w *Writer) storeIn(ctx context.Context, l *lane, chunks [][]part) error {
	for {
		left, err := w.store(ctx, l, chunks)
		if !errors.Is(err, errChained) {
			return err
		}
		if _, err := w.store(ctx, w.all, left[:1]); err != nil {
			return err
		}
		chunks = left[1:]
	}
}

// sweep makes the stored tweets of users agree with the notices about them. They
// are noted already, so that they hold for whatever comes.
func (w *Writer) sweep(ctx context.Context, events []work) error {
	for _, e := range events {
		if !e.sweeps() {
			continue
		}
		ids, err := w.authored(ctx, string(e.event.Notice.UserID))
		if err != nil {
			return err
		}
		touched := make([]work, len(ids))
		for i, id := range ids {
			touched[i] = touch(id)
		}
		if err := w.storeTouches(ctx, touched); err != nil {
			return err
		}
	}
	return nil
}

// store writes chunks, each in one transaction, and tries until Redis takes them:
// a store that is down, full or loading loses nothing, it only stops the line. It
// fails when ctx ends, and with errChained; left are the chunks that were not
// stored.
func (w *Writer) store(ctx context.Context, l *lane, chunks [][]part) (left [][]part, err error) {
	if len(chunks) == 0 {
		return nil, nil
	}
	if l == w.all {
		w.turn.Lock()
		defer w.turn.Unlock()
	} else {
		w.turn.RLock()
		defer w.turn.RUnlock()
	}
	began, span := time.Now(), startTransaction(w.tracer, chunks[0])
	defer func() { span.End() }()
	done := func(out outcome) error {
		for _, p := range chunks[0] {
			p.message.executed(p.name(), out.process)
		}
		w.metrics.wrote(out)
		w.metrics.transaction.Observe(time.Since(began).Seconds())
		w.troubles.note(partStore, nil)
		span.End()
		if chunks = chunks[1:]; len(chunks) > 0 {
			began, span = time.Now(), startTransaction(w.tracer, chunks[0])
		}
		return w.refused(out.refused)
	}
	_, err = backoff.Retry(ctx, func() (struct{}, error) {
		err := l.run(ctx, chunks, done)
		switch {
		case err == nil:
			return struct{}{}, nil
		case errors.Is(err, errChained):
			return struct{}{}, backoff.Permanent(err)
		}
		w.metrics.storeFailures.Inc()
		w.troubles.note(partStore, err)
		span.RecordError(err)
		return struct{}{}, err
	}, backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(w.notify("store tweets")))
	return chunks, err
}
