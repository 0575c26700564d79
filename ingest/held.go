package ingest

import (
	"context"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// held are the messages between JetStream and the disk: pulled, and not acked
// yet.
type held struct {
	mu      sync.Mutex
	all     map[uint64]*message // by sequence in the stream
	waiting []*message          // in Redis, to be synced
	some    chan struct{}       // gets a value when waiting becomes non-empty
}

func newHeld() *held {
	return &held{all: map[uint64]*message{}, some: make(chan struct{}, 1)}
}

// add takes a message; false when it is held already, having been delivered a
// second time.
func (h *held) add(m *message) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.all[m.of.sequence]; known != nil {
		known.msg = m.msg // the newest delivery is the one to ack
		return false
	}
	h.all[m.of.sequence] = m
	return true
}

// stored notes that a message is in Redis. Only its ack is needed any more.
func (h *held) stored(m *message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m.batch.Events = nil
	h.waiting = append(h.waiting, m)
	select {
	case h.some <- struct{}{}:
	default:
	}
}

// drop forgets messages.
func (h *held) drop(messages []*message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range messages {
		delete(h.all, m.of.sequence)
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

// extend tells JetStream that the messages are still in work, so that it
// doesn't deliver them a second time while Redis is slow.
func (h *held) extend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.all {
		m.msg.InProgress() // when it doesn't arrive, the message comes again, which is harmless
	}
}

// ackStored syncs and acks what is stored, until all is and nothing more will
// be.
func (w *Writer) ackStored(ctx context.Context, held *held, allStored <-chan struct{}) {
	extending, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	beside.Go(func() { extendAll(extending, held) })
	for done := false; !done; {
		select {
		case <-held.some:
		case <-allStored:
			done = true
		}
		if messages := held.take(); len(messages) > 0 {
			if err := w.settle(ctx, held, messages); err != nil {
				return // ctx has ended: what is not acked comes again
			}
		}
	}
}

// extendAll extends what is held until ctx ends.
func extendAll(ctx context.Context, held *held) {
	tick := time.NewTicker(ackWait / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			held.extend()
		}
	}
}

// settle waits until messages are on disk and acks them. Those that a server
// process executed which is not the one that synced are handed back: it may have
// died before they were on disk.
func (w *Writer) settle(ctx context.Context, held *held, messages []*message) error {
	defer func() {
		for _, m := range messages {
			m.span.End()
		}
	}()
	process, err := w.sync(ctx)
	if err != nil {
		return err
	}
	var safe, unsafe []*message
	for _, m := range messages {
		if m.processes[process] && len(m.processes) == 1 || len(m.processes) == 0 {
			safe = append(safe, m)
		} else {
			unsafe = append(unsafe, m)
		}
	}
	if len(unsafe) > 0 {
		w.log.Warn("redis was restarted before it had synced: store again", "messages", len(unsafe))
	}
	held.drop(messages)
	for _, m := range unsafe {
		m.msg.Nak() // lost, it comes again all the same
	}
	return w.ackAll(ctx, safe)
}

// ackAll acks messages. An ack that got lost would bring its message back, hence
// the wait for JetStream's word.
func (w *Writer) ackAll(ctx context.Context, messages []*message) error {
	for _, m := range messages {
		if err := m.msg.DoubleAck(ctx); err != nil {
			if ctx.Err() != nil {
				return err
			}
			w.log.Debug("ack", "err", err)
			continue // it comes again, and its parts are known
		}
		w.metrics.durable.Observe(m.of.since())
		w.notes.add(m)
	}
	return nil
}

// sync passes the fence and tries until it can. It returns the server process
// that has synced.
func (w *Writer) sync(ctx context.Context) (process string, err error) {
	started := time.Now()
	process, err = backoff.Retry(ctx, func() (string, error) {
		process, err := w.fence.pass(ctx)
		w.troubles.note(partSync, err)
		return process, err
	},
		backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(w.notify("sync tweets")))
	w.metrics.sync.Observe(time.Since(started).Seconds())
	return process, err
}
