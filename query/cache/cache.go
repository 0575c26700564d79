// Package cache keeps answers for as long as they are true: while the store's
// epoch stands, and never longer than a second.
package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

const (
	// MaxAge bounds the age of an answer, whatever the epoch says: the store
	// may be changed behind the writer's back.
	MaxAge = time.Second
	// Burst is how long an answer is good even in a newer epoch, so that
	// identical questions cost one trip also while tweets pour in. A tweet is
	// seen that much later.
	Burst = 20 * time.Millisecond
)

// Cache is a bounded set of answers by question. Answers are shared and must
// not be changed. It is for many goroutines at once.
type Cache[V any] struct {
	answers *otter.Cache[string, answer[V]]
	flights flights[V]
	burst   time.Duration
	dated   func(V) time.Time // nil: an answer is as old as its trip
	stats   Stats
}

type answer[V any] struct {
	value V
	epoch string
	at    time.Time
}

// Stats count questions by how they were answered.
type Stats struct {
	Hits   atomic.Int64 // from the cache
	Shared atomic.Int64 // with another's trip
	Misses atomic.Int64 // by a trip of their own
}

// New returns a cache whose answers weigh at most so many bytes in all.
func New[V any](bytes uint64, weigh func(V) int) *Cache[V] {
	return &Cache[V]{answers: otter.Must(&otter.Options[string, answer[V]]{
		MaximumWeight: bytes,
		Weigher:       func(key string, a answer[V]) uint32 { return uint32(len(key) + weigh(a.value)) },
		Executor:      func(f func()) { f() },
	}), burst: Burst}
}

// Strict returns the cache without Burst: for parts of an answer, which must be
// of the answer's own epoch.
func (c *Cache[V]) Strict() *Cache[V] {
	c.burst = 0
	return c
}

// Stats returns the counts so far.
func (c *Cache[V]) Stats() *Stats { return &c.stats }

// Dated returns the cache with answers that tell when they were asked for, which
// may be before their trip: a part of them came from elsewhere.
func (c *Cache[V]) Dated(asked func(V) time.Time) *Cache[V] {
	c.dated = asked
	return c
}

// Has reports whether there is an answer to a question that is not too old, of
// whatever epoch.
func (c *Cache[V]) Has(question string) bool {
	a, ok := c.answers.GetIfPresent(question)
	return ok && time.Since(a.at) < MaxAge
}

// Get returns the answer to a question if there is one for the epoch.
func (c *Cache[V]) Get(question, epoch string) (V, bool) {
	a, ok := c.answers.GetIfPresent(question)
	age := time.Since(a.at)
	if ok = ok && (age < c.burst || a.epoch == epoch && age < MaxAge); !ok {
		var none V
		return none, false
	}
	c.stats.Hits.Add(1)
	return a.value, true
}

// Put keeps an answer that was found after the epoch was read.
func (c *Cache[V]) Put(question, epoch string, began time.Time, value V) {
	c.answers.Set(question, answer[V]{value, epoch, began})
}

// Do returns the answer to a question: a kept one, that of the same question
// asked at the same moment, or that of ask, which is kept unless it is an
// error. The epoch must have been read before.
func (c *Cache[V]) Do(ctx context.Context, question, epoch string, ask func(context.Context) (V, error)) (V, error) {
	if v, ok := c.Get(question, epoch); ok {
		return v, nil
	}
	return c.flights.do(ctx, &c.stats, epoch+"\x00"+question, func(ctx context.Context) (V, error) {
		began := time.Now()
		v, err := ask(ctx)
		if err == nil && c.dated != nil {
			began = c.dated(v)
		}
		if err == nil {
			c.Put(question, epoch, began, v)
		}
		return v, err
	})
}
