package ingest

import (
	"context"
	"sync"
	"time"

	"visualizer/schema"
)

// tenure is the time for which a service holds a lease.
type tenure struct {
	lease    *lease
	revision uint64 // of the own last write; grows with each

	mu sync.Mutex
	// until: before that nobody else can have the lease. It is counted from
	// before the last write that succeeded.
	until   time.Time
	lost    bool
	changed chan struct{} // closed when one of these changes
}

// keep renews until ctx ends or the lease is lost, and reports which.
func (t *tenure) keep(ctx context.Context) (lost bool) {
	for {
		pause(ctx, leaseEvery)
		if ctx.Err() != nil {
			return false
		}
		if t.renew(ctx); t.isLost() {
			return true
		}
	}
}

// renew writes the lease again. A write that was refused, or of which nothing
// was heard, is looked up.
func (t *tenure) renew(ctx context.Context) {
	began := time.Now()
	revision, err := t.lease.put(ctx, t.lease.holder, t.revision)
	if err == nil {
		t.revision = revision
		t.set(began.Add(leaseTime), false)
		return
	}
	t.lease.log.Debug("renew the lease", "err", err)
	revision, holder, err := t.lease.look(ctx)
	switch {
	case err != nil: // the next round tells
	case revision != 0 && holder != t.lease.holder:
		t.set(time.Time{}, true)
	default: // the write had arrived, or the server has lost its files
		t.revision = revision
	}
}

func (t *tenure) set(until time.Time, lost bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until, t.lost = until, lost
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *tenure) isLost() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// release lets another service read at once.
func (t *tenure) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaseLeave)
	defer cancel()
	if _, err := t.lease.put(ctx, "", t.revision); err != nil {
		t.lease.log.Debug("release the lease", "err", err) // it runs out
	}
}

// covers reports whether an event that was observed at a time may be published.
// This is the fence: what is observed while the lease holds is good whenever it
// is published, since its time of observation ranks it. What a service observes
// after the lease ran out, having been paused, may have waited in its socket for
// an hour, and would take the rank of now. So such an event waits until it is
// known whether another service has taken over, and is dropped if so: that one
// has read it. It is also false when ctx ends.
func (t *tenure) covers(ctx context.Context, observed time.Time) bool {
	for {
		t.mu.Lock()
		until, lost, changed := t.until, t.lost, t.changed
		t.mu.Unlock()
		if lost {
			return false
		}
		if observed.Before(until) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// observed is when an event was observed, which for those that carry no time is
// now.
func observed(e *schema.Event) time.Time {
	switch {
	case e.Tweet != nil && e.Tweet.ObservedAt != nil:
		return time.UnixMilli(int64(*e.Tweet.ObservedAt))
	case e.Notice != nil && e.Notice.ObservedAt != nil:
		return time.UnixMilli(int64(*e.Notice.ObservedAt))
	}
	return time.Now()
}
