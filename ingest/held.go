package ingest

import (
	"context"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"visualizer/schema"
)

// held are the messages between JetStream and the disk: pulled, and not acked
// yet.
type held struct {
	mu      sync.Mutex
	storing map[*message]bool // not all in Redis yet
	waiting []*message        // in Redis, to be synced
	some    chan struct{}     // gets a value when waiting becomes non-empty
}

func newHeld() *held {
	return &held{storing: map[*message]bool{}, some: make(chan struct{}, 1)}
}

func (h *held) add(m *message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.storing[m] = true
}

func (h *held) stored(m *message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.storing, m)
	h.waiting = append(h.waiting, m)
	select {
	case h.some <- struct{}{}:
	default:
	}
}

// take returns the messages that wait for a sync.
func (h *held) take() []*message {
	h.mu.Lock()
	defer h.mu.Unlock()
	taken := h.waiting
	h.waiting = nil
	return taken
}

// extend tells JetStream that the messages being stored are still in work, so
// that it doesn't deliver them a second time while Redis is slow.
func (h *held) extend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for m := range h.storing {
		m.msg.InProgress() // when it doesn't arrive, the message comes again, which is harmless
	}
}

// ackStored syncs and acks what is stored, until all is and nothing more will
// be.
func (w *Writer) ackStored(ctx context.Context, held *held, allStored <-chan struct{}) {
	tick := time.NewTicker(ackWait / 4)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-held.some:
		case <-tick.C:
			held.extend()
			continue
		case <-allStored:
			done = true
		}
		if err := w.ack(ctx, held, tick); err != nil {
			return // ctx has ended: what is not acked comes again
		}
	}
}

// ack waits until what is stored is on disk, then acks it.
func (w *Writer) ack(ctx context.Context, held *held, tick *time.Ticker) error {
	messages := held.take()
	if len(messages) == 0 {
		return nil
	}
	synced := make(chan error, 1)
	go func() { synced <- w.sync(ctx) }()
	for {
		select {
		case err := <-synced:
			if err != nil {
				return err
			}
			return w.ackAll(ctx, messages)
		case <-tick.C:
			held.extend()
			for _, m := range messages {
				m.msg.InProgress()
			}
		}
	}
}

// ackAll acks messages and forgets which of their parts were executed: they
// won't come again. An ack that got lost would bring its message back, hence
// the wait for JetStream's word.
func (w *Writer) ackAll(ctx context.Context, messages []*message) error {
	var parts []string
	for _, m := range messages {
		if err := m.msg.DoubleAck(ctx); err != nil {
			if ctx.Err() != nil {
				return err
			}
			w.log.Debug("ack", "err", err)
			continue // it comes again, and its parts are known
		}
		parts = append(parts, m.parts...)
	}
	if len(parts) == 0 {
		return nil
	}
	client := w.all.client
	if err := client.Do(ctx, client.B().Hdel().Key(schema.AppliedKey).Field(parts...).Build()).Error(); err != nil {
		w.log.Debug("forget what was applied", "err", err) // it only takes room
	}
	return nil
}

// sync passes the fence and tries until it can.
func (w *Writer) sync(ctx context.Context) error {
	started := time.Now()
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, w.fence.pass(ctx) },
		backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(w.notify("sync tweets")))
	w.metrics.sync.Observe(time.Since(started).Seconds())
	return err
}
