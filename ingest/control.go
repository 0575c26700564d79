package ingest

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"visualizer/internal/line"
	"visualizer/schema"
)

// controlEvery is how often a service looks whether it is to stop or to start.
const controlEvery = 100 * time.Millisecond

// control follows what startStream and stopStream ask for. While Redis can't be
// asked, what it said last holds.
type control struct {
	client rueidis.Client
	tally  *tally
	log    *slog.Logger

	// entering is held for reading by whoever takes an event in, so that a
	// change that is heeded holds for all of them.
	entering sync.RWMutex
	present  schema.Control
	changed  chan struct{} // closed at the next change
}

// newControl returns the control of a service that does not read yet.
func newControl(ctx context.Context, s *Service) (*control, error) {
	present, err := line.Control(ctx, s.redis)
	if err != nil {
		return nil, err
	}
	c := &control{client: s.redis, tally: s.tally, log: s.cfg.Log, present: present, changed: make(chan struct{})}
	s.tally.heeds(present)
	if present.Stopped {
		c.log.Info("stopped by stopStream: startStream starts it")
	}
	return c, nil
}

// Run follows until ctx ends.
func (c *control) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		pause(ctx, controlEvery)
		next, err := line.Control(ctx, c.client)
		if err != nil || next == c.now() {
			continue
		}
		c.set(next)
		c.tally.heeds(next)
		if err := c.tally.flush(ctx); err != nil {
			c.log.Debug("write the status", "err", err) // it comes with the next tick
		}
	}
	return nil
}

func (c *control) now() schema.Control {
	c.entering.RLock()
	defer c.entering.RUnlock()
	return c.present
}

func (c *control) set(next schema.Control) {
	c.entering.Lock()
	defer c.entering.Unlock()
	if next.Stopped != c.present.Stopped {
		c.log.Info("told by startStream or stopStream", "stopped", next.Stopped)
	}
	c.present = next
	close(c.changed)
	c.changed = make(chan struct{})
}

// enter waits until the stream is not stopped. Until leave is called it won't
// be heeded that it is. It fails when ctx ends.
func (c *control) enter(ctx context.Context) (leave func(), err error) {
	for {
		c.entering.RLock()
		if ctx.Err() == nil && !c.present.Stopped {
			return c.entering.RUnlock, nil
		}
		changed := c.changed
		c.entering.RUnlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// started waits until the stream is not stopped, and returns a context that ends
// when it is. It fails when ctx ends.
func (c *control) started(ctx context.Context) (context.Context, context.CancelFunc, error) {
	leave, err := c.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	leave()
	started, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		c.await(started, func(now schema.Control) bool { return now.Stopped })
	}()
	return started, cancel, nil
}

// startedAgain waits until startStream was called after a version.
func (c *control) startedAgain(ctx context.Context, version int64) bool {
	return c.await(ctx, func(now schema.Control) bool { return now.Version > version && !now.Stopped })
}

// await waits until ok holds; false when ctx ends.
func (c *control) await(ctx context.Context, ok func(schema.Control) bool) bool {
	for {
		c.entering.RLock()
		now, changed := c.present, c.changed
		c.entering.RUnlock()
		if ok(now) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
