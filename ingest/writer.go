package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"visualizer/schema"
)

const (
	// laneCount is how many transactions a writer has under way. Two keep
	// Redis busy while one of them decides.
	laneCount = 2
	// maxChunk bounds one transaction, and with it how long Redis answers no
	// query: 50 documents take it about 3 ms.
	maxChunk = 64
	// fetchMessages is the most that one pull asks for.
	fetchMessages = 8
	// fetchWait is how long a pull waits for that many; those that come are
	// taken at once.
	fetchWait = time.Second
)

// Writer stores what is on the stream.
type Writer struct {
	js       jetstream.JetStream
	consumer jetstream.Consumer
	lanes    []*lane
	all      *lane // of events that concern tweets of several lanes
	fence    *fence
	letters  func(schema.DeadLetter) error
	tally    *tally
	run      string
	log      *slog.Logger
	metrics  *metrics
}

// newWriter returns the writer of a service; letters keeps a dead letter.
func newWriter(s *Service, letters func(schema.DeadLetter) error) *Writer {
	keys := laneKeys(laneCount)
	w := &Writer{
		js: s.js, consumer: s.consumer, letters: letters, tally: s.tally, run: s.run, log: s.cfg.Log, metrics: s.metrics,
		all:   &lane{client: s.redis, keys: keys},
		fence: &fence{client: s.redis, log: s.cfg.Log},
	}
	for _, key := range keys {
		w.lanes = append(w.lanes, &lane{client: s.redis, keys: []string{key}})
	}
	return w
}

// message is a batch on its way into Redis. It is acked when every part of it
// is stored and synced.
type message struct {
	msg   jetstream.Msg
	batch schema.Batch
	again bool // it was delivered before

	sequence uint64 // in the stream

	mu        sync.Mutex
	parts     []string        // names of what was executed
	processes map[string]bool // server processes that have executed them
}

// executed notes a part and the server process that has executed it.
func (m *message) executed(name, process string) {
	if m == nil || name == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts = append(m.parts, name)
	m.processes[process] = true
}

// Run stores messages until ctx ends, then finishes those it has begun, for as
// long as work lasts. Messages that it could not finish come again at the next
// start.
func (w *Writer) Run(ctx, work context.Context) error {
	held := newHeld()
	pulled := make(chan *message, fetchMessages)
	stored := make(chan struct{})
	var g errgroup.Group
	g.Go(func() error { defer close(pulled); w.pull(ctx, work, held, pulled); return nil })
	g.Go(func() error { defer close(stored); w.storeAll(work, held, pulled); return nil })
	g.Go(func() error { w.ackStored(work, held, stored); return nil })
	return g.Wait()
}

// pull takes messages from the stream as they come.
func (w *Writer) pull(ctx, work context.Context, held *held, pulled chan<- *message) {
	for ctx.Err() == nil {
		batch, err := w.consumer.Fetch(fetchMessages, jetstream.FetchMaxWait(fetchWait))
		if err != nil {
			w.log.Warn("pull from the stream", "err", err)
			pause(ctx, fetchWait)
			continue
		}
		for msg := range batch.Messages() { // ends with the pull
			m := w.open(msg)
			if m == nil || !held.add(m) {
				continue
			}
			select {
			case pulled <- m:
			case <-work.Done():
			}
		}
		if err := batch.Error(); err != nil {
			w.recover(ctx, err)
		}
	}
}

// recover makes the stream and its consumer again when a server has lost them,
// and waits before the next pull.
func (w *Writer) recover(ctx context.Context, cause error) {
	if errors.Is(cause, nats.ErrTimeout) {
		return // nothing came
	}
	w.log.Warn("pull from the stream", "err", cause)
	pause(ctx, fetchWait)
	if _, _, err := ensureStreams(ctx, w.js); err != nil && ctx.Err() == nil {
		w.log.Warn("look for the stream", "err", err)
	}
}

// storeAll stores what is pulled, in its order.
func (w *Writer) storeAll(work context.Context, held *held, pulled <-chan *message) {
	for m := range pulled {
		if w.storeMessage(work, m) == nil { // else work has ended: the message comes again
			held.stored(m)
		}
	}
}

// open reads a message; nil when it isn't one of ours.
func (w *Writer) open(msg jetstream.Msg) *message {
	m := &message{msg: msg, processes: map[string]bool{}}
	meta, err := msg.Metadata()
	if err != nil {
		w.setAside(msg, err)
		return nil
	}
	m.again, m.sequence = meta.NumDelivered > 1, meta.Sequence.Stream
	if err := schema.Decode(msg.Data(), &m.batch); err != nil {
		w.setAside(msg, err)
		return nil
	}
	return m
}

// setAside keeps a message that no version of this program wrote, so that it
// doesn't come again for ever.
func (w *Writer) setAside(msg jetstream.Msg, cause error) {
	letter := schema.DeadLetter{Reason: schema.BadJSON, Source: schema.StreamTweets, Error: cause.Error(), Raw: msg.Data(), Size: len(msg.Data())}
	w.log.Warn("set a message aside", "err", cause)
	if err := w.letters(letter); err == nil {
		msg.Term()
	}
}

// storeMessage writes a batch: exclusive events one after the other, the runs of
// others between them lane by lane, side by side.
func (w *Writer) storeMessage(ctx context.Context, m *message) error {
	events := w.worksOf(&m.batch)
	for len(events) > 0 {
		n := len(events)
		for i, e := range events {
			if e.exclusive() {
				n = i
				break
			}
		}
		if n > 0 {
			if err := w.storeRun(ctx, m, events[:n]); err != nil {
				return err
			}
			events = events[n:]
			continue
		}
		if err := w.storeExclusive(ctx, m, events[0]); err != nil {
			return err
		}
		events = events[1:]
	}
	return nil
}

func (w *Writer) worksOf(b *schema.Batch) []work {
	works := make([]work, len(b.Events))
	for i := range b.Events {
		works[i] = work{event: &b.Events[i], place: b.Place + uint64(i), leftover: b.Run != w.run}
	}
	return works
}

// storeExclusive writes one event with all lanes held. A notice about a user is
// noted first, so that it holds for whatever comes; then the user's tweets that
// are stored already are made to agree with it.
func (w *Writer) storeExclusive(ctx context.Context, m *message, e work) error {
	if err := w.store(ctx, w.all, m, []work{e}); err != nil || !e.sweeps() {
		return err
	}
	ids, err := w.authored(ctx, string(e.event.Notice.UserID))
	if err != nil {
		return err
	}
	touched := make([]work, len(ids))
	for i, id := range ids {
		touched[i] = touch(id)
	}
	return w.storeRun(ctx, nil, touched)
}

// storeRun writes events that concern one tweet each. They are of a message, or
// touches, which are of none.
func (w *Writer) storeRun(ctx context.Context, m *message, events []work) error {
	parts := make([][]work, len(w.lanes))
	for _, e := range events {
		n := e.lane(len(w.lanes))
		parts[n] = append(parts[n], e)
	}
	var g errgroup.Group
	for i, part := range parts {
		g.Go(func() error {
			for len(part) > 0 {
				n := min(len(part), maxChunk)
				err := w.store(ctx, w.lanes[i], m, part[:n])
				if errors.Is(err, errChained) {
					err = w.store(ctx, w.all, m, part[:n])
				}
				if err != nil {
					return err
				}
				part = part[n:]
			}
			return nil
		})
	}
	return g.Wait()
}

// store writes events in one transaction and tries until Redis takes them: a
// store that is down, full or loading loses nothing, it only stops the line. It
// fails when ctx ends, and with errChained.
func (w *Writer) store(ctx context.Context, l *lane, m *message, events []work) error {
	started := time.Now()
	p := part{events: events}
	if m != nil {
		p.message, p.again = m.sequence, m.again
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		done, err := l.store(ctx, p)
		switch {
		case err == nil:
			m.executed(p.name(), done.process)
			return struct{}{}, w.refused(done.refused)
		case errors.Is(err, errChained):
			return struct{}{}, backoff.Permanent(err)
		}
		p.again = true
		w.metrics.storeFailures.Inc()
		return struct{}{}, err
	}, backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(w.notify("store tweets")))
	if err == nil {
		w.metrics.transaction.Observe(time.Since(started).Seconds())
	}
	return err
}

// notify logs the first of a row of failures.
func (w *Writer) notify(act string) backoff.Notify {
	told := false
	return func(err error, wait time.Duration) {
		if !told {
			w.log.Warn(act, "err", err, "retry", wait)
		}
		told = true
	}
}

// retryPolicy waits 50 ms after a first failure and at most 2 s.
func retryPolicy() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = 50*time.Millisecond, 2*time.Second
	return b
}

// refused sets aside what Redis would not store, one document by one.
func (w *Writer) refused(refused []refusal) error {
	for _, r := range refused {
		w.log.Warn("set a tweet aside", "id", r.id, "err", r.err)
		letter := schema.DeadLetter{Reason: schema.Refused, Source: schema.TweetKey(r.id), Error: r.err.Error(), Raw: r.json, Size: len(r.json)}
		if err := w.letters(letter); err != nil {
			return err
		}
		// Its transaction counted it as stored; now it is rejected instead.
		w.tally.add(schema.StatusStored, -1)
		w.tally.add(schema.StatusPublished, -1)
	}
	return nil
}

// pause waits, but not longer than ctx lasts.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
