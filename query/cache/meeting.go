package cache

import (
	"context"
	"strconv"
	"sync"
	"time"

	"visualizer/internal/fault"
)

// Meeting has those who ask the same at the same moment share one trip. It
// keeps nothing. Answers are shared and must not be changed.
type Meeting[V any] struct {
	flights flights[V]
	stats   Stats
}

// NewMeeting returns a Meeting, which may be used by many goroutines at once.
func NewMeeting[V any]() *Meeting[V] { return &Meeting[V]{} }

// Stats returns the counts so far.
func (m *Meeting[V]) Stats() *Stats { return &m.stats }

// Do returns the answer to a question, from a trip that began in the same epoch
// and at most Burst ago. The epoch must have been read before.
func (m *Meeting[V]) Do(ctx context.Context, question, epoch string, ask func(context.Context) (V, error)) (V, error) {
	moment := strconv.FormatInt(time.Now().UnixNano()/int64(Burst), 36)
	return m.flights.do(ctx, &m.stats, moment+"\x00"+epoch+"\x00"+question, ask)
}

// flights are the trips under way.
type flights[V any] struct {
	mu    sync.Mutex
	byKey map[string]*flight[V]
}

// flight is one trip. Its answer may be read once done is closed.
type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
	// left: whoever made the trip had to leave before its end.
	left bool
}

// do returns the answer of the trip under way for a key, or makes one when there
// is none: in the caller's own goroutine, since another one would have to be
// woken for it. When whoever makes it has to leave, another one begins anew.
func (f *flights[V]) do(ctx context.Context, stats *Stats, key string, ask func(context.Context) (V, error)) (V, error) {
	for {
		trip, own := f.join(key)
		if own {
			stats.Misses.Add(1)
			f.make(ctx, key, trip, ask)
			return trip.value, trip.err
		}
		select {
		case <-ctx.Done():
			var none V
			return none, context.Cause(ctx)
		case <-trip.done:
		}
		if !trip.left {
			stats.Shared.Add(1)
			return trip.value, trip.err
		}
	}
}

// join returns the trip for a key, and whether the caller is to make it.
func (f *flights[V]) join(key string) (trip *flight[V], own bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if trip = f.byKey[key]; trip != nil {
		return trip, false
	}
	if f.byKey == nil {
		f.byKey = map[string]*flight[V]{}
	}
	trip = &flight[V]{done: make(chan struct{})}
	f.byKey[key] = trip
	return trip, true
}

func (f *flights[V]) make(ctx context.Context, key string, trip *flight[V], ask func(context.Context) (V, error)) {
	trip.err = fault.Contain(func() (err error) { trip.value, err = ask(ctx); return err })
	trip.left = trip.err != nil && ctx.Err() != nil
	f.mu.Lock()
	delete(f.byKey, key)
	f.mu.Unlock()
	close(trip.done)
}
