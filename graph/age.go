package graph

import (
	"context"
	"sync"
	"time"

	"visualizer/query/search"
)

// Ages are those of the pages of an operation, which may come from a cache.
type Ages struct {
	epoch string

	mu     sync.Mutex
	oldest time.Time // zero: there are no pages
	mixed  bool      // a page is of another epoch
}

type agesKey struct{}

// WithAges returns a context in which pages note their age; epoch is the
// operation's own.
func WithAges(ctx context.Context, epoch string) (context.Context, *Ages) {
	a := &Ages{epoch: epoch}
	return context.WithValue(ctx, agesKey{}, a), a
}

// epochOf returns the epoch of the operation, "" when nobody has read it.
func epochOf(ctx context.Context) string {
	if a, _ := ctx.Value(agesKey{}).(*Ages); a != nil {
		return a.epoch
	}
	return ""
}

// Oldest returns when the oldest page was asked for, or now when that is
// earlier.
func (a *Ages) Oldest(now time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.oldest.IsZero() || now.Before(a.oldest) {
		return now
	}
	return a.oldest
}

// OneEpoch reports whether all pages are of the operation's epoch.
func (a *Ages) OneEpoch() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.mixed
}

func noteAge(ctx context.Context, page *search.Page) {
	a, _ := ctx.Value(agesKey{}).(*Ages)
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mixed = a.mixed || page.Epoch != a.epoch
	if a.oldest.IsZero() || page.Asked.Before(a.oldest) {
		a.oldest = page.Asked
	}
}
