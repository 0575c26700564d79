package ingest

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"visualizer/schema"
)

const (
	// fetchMessages is the most that one pull asks for.
	fetchMessages = 16
	// fetchWait is how long a pull waits for that many; those that come are
	// taken at once.
	fetchWait = time.Second
)

// Writer stores what is on the stream.
type Writer struct {
	js       jetstream.JetStream
	consumer jetstream.Consumer
	lanes    []*lane
	all      *lane        // of events that concern tweets of several lanes
	turn     sync.RWMutex // held alone by all, so that it meets no lane of this writer
	fence    *fence
	notes    notes
	letters  keeper
	tally    *tally
	run      string
	log      *slog.Logger
	metrics  *metrics
	tracer   trace.Tracer
	troubles *troubles
}

// keeper keeps a dead letter under an id and counts it, and reports whether one of
// that id was kept shortly before. Of a letter that may have been, said by again,
// it counts no second one.
type keeper func(id string, letter schema.DeadLetter, again bool) (known bool, err error)

// newWriter returns the writer of a service.
func newWriter(s *Service, letters keeper) *Writer {
	keys := schema.LaneKeys()
	w := &Writer{
		js: s.js, consumer: s.consumer, letters: letters, tally: s.tally, run: s.run, log: s.cfg.Log, metrics: s.metrics,
		tracer: s.cfg.tracer(), troubles: &s.troubles,
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
	of    delivery
	span  trace.Span // of its way to Redis, then to the disk

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
	if !slices.Contains(m.parts, name) {
		m.parts = append(m.parts, name)
	}
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

// open reads a message; nil when it isn't one of ours.
func (w *Writer) open(msg jetstream.Msg) *message {
	m := &message{msg: msg, span: startStoring(w.tracer, msg), processes: map[string]bool{}}
	meta, err := msg.Metadata()
	if err != nil {
		w.setAside(msg, err)
		return nil
	}
	m.of = delivery{meta.Sequence.Stream, meta.Timestamp.UnixMicro()}
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
	if _, err := w.letters(rand.Text(), letter, false); err == nil {
		msg.Term()
	}
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

// pause waits, but not longer than ctx lasts.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
