package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"visualizer/query/search"
	"visualizer/schema"
)

// Errors that subscribers see.
var (
	// ErrUnavailable: the feed has no source now.
	ErrUnavailable = errors.New("new tweets can't be followed now")
	// ErrFull: there are as many subscriptions, or as many filters, as there may
	// be.
	ErrFull = errors.New("too many subscriptions are open")
	// ErrGap: tweets may have been stored of which the feed was not told.
	ErrGap = errors.New("tweets may be missing here: the source was interrupted")
	// ErrSlow: tweets were left out because the subscriber didn't take them.
	ErrSlow = errors.New("tweets are missing here: they came faster than they were read")
)

// Limits bound what the feed holds.
type Limits struct {
	// Subscriptions and Filters are how many there may be, Filters by meaning.
	Subscriptions, Filters int
	// Queue and QueueBytes are what may wait for one subscriber: tweets, and
	// their size in memory.
	Queue, QueueBytes int
	// Bytes is the size of all tweets that wait for any.
	Bytes int64
	// Patience is how long the source, or the store, may be away before those
	// who follow are told of a gap.
	Patience time.Duration
}

// DefaultLimits let a reader be some seconds behind a full line.
func DefaultLimits() Limits {
	return Limits{
		Subscriptions: 10_000, Filters: 1_000, Queue: 32_768, QueueBytes: 64 << 20, Bytes: 128 << 20,
		Patience: 10 * time.Second,
	}
}

// Feed holds the subscriptions.
type Feed struct {
	store   *search.Store
	log     *slog.Logger
	limits  Limits
	metrics *metrics
	waiting atomic.Int64 // bytes of the tweets in queues

	mu            sync.Mutex
	down          error // why nobody can subscribe now; nil: anybody can
	filters       map[string]*filter
	subscriptions int
}

// filter is one that is followed.
type filter struct {
	name        string
	predicate   *search.Predicate
	subscribers map[*Subscription]struct{} // under Feed.mu
}

// New returns a feed without a source: until Run has one, nobody can subscribe.
func New(store *search.Store, limits Limits, log *slog.Logger) *Feed {
	f := &Feed{store: store, log: log, limits: limits, filters: map[string]*filter{}}
	f.down = fmt.Errorf("%w: the service has no --nats-url", ErrUnavailable)
	f.metrics = newMetrics(f)
	return f
}

// Ready returns nil while the feed can be subscribed to.
func (f *Feed) Ready(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.down
}

// Subscribe follows the tweets that p matches, from now on: of those that were
// stored before it was called none, of those stored after it has returned every
// one. It ends with ctx. Asking is within a deadline. Errors are ErrUnavailable,
// ErrFull and those of the store.
func (f *Feed) Subscribe(ctx, asking context.Context, p *search.Predicate) (*Subscription, error) {
	s, err := f.join(p)
	if err != nil {
		return nil, err
	}
	// Ingest tells of a tweet some time after it has stored it, when the tweet
	// may have been found long since.
	behind, err := f.store.LastStored(asking)
	if err != nil {
		s.end(context.Canceled, "")
		return nil, err
	}
	s.begin(behind)
	context.AfterFunc(ctx, func() { s.end(context.Canceled, "") })
	return s, nil
}

func (f *Feed) join(p *search.Predicate) (*Subscription, error) {
	name := p.Canonical()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil {
		return nil, f.down
	}
	followed := f.filters[name]
	switch {
	case f.subscriptions >= f.limits.Subscriptions:
		return nil, fmt.Errorf("%w: %d", ErrFull, f.subscriptions)
	case followed == nil && len(f.filters) >= f.limits.Filters:
		return nil, fmt.Errorf("%w: with %d different filters", ErrFull, len(f.filters))
	case followed == nil:
		followed = &filter{name: name, predicate: p, subscribers: map[*Subscription]struct{}{}}
		f.filters[name] = followed
	}
	s := &Subscription{feed: f, filter: followed, news: make(chan struct{}, 1)}
	followed.subscribers[s] = struct{}{}
	f.subscriptions++
	return s, nil
}

// leave forgets a subscription.
func (f *Feed) leave(s *Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(s.filter.subscribers, s)
	f.subscriptions--
	if len(s.filter.subscribers) == 0 {
		delete(f.filters, s.filter.name)
	}
}

// followed returns the filters that are followed.
func (f *Feed) followed() []*filter {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]*filter, 0, len(f.filters))
	for _, one := range f.filters {
		all = append(all, one)
	}
	return all
}

// subscribers returns those of a filter, or with nil those of all.
func (f *Feed) subscribers(of *filter) []*Subscription {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*Subscription
	for _, one := range f.filters {
		if of == nil || of == one {
			for s := range one.subscribers {
				all = append(all, s)
			}
		}
	}
	return all
}

// publish puts tweets into the queues of those who follow them. numbers are
// those of the transactions that stored them, by id.
func (f *Feed) publish(tweets []*schema.Tweet, numbers map[string]uint64) {
	b := newBatch(f, tweets, numbers)
	for _, followed := range f.followed() {
		var matching []*Item
		for i, it := range b.items {
			if followed.predicate.Match(b.candidates[i]) {
				matching = append(matching, it)
			}
		}
		if len(matching) == 0 {
			continue
		}
		for _, s := range f.subscribers(followed) {
			s.push(matching)
		}
	}
	f.shed()
}

// shed drops those who are furthest behind until what waits is not too much.
func (f *Feed) shed() {
	for f.waiting.Load() > f.limits.Bytes {
		var slowest *Subscription
		most := 0
		for _, s := range f.subscribers(nil) {
			if n := s.size(); n > most {
				slowest, most = s, n
			}
		}
		if slowest == nil {
			return
		}
		slowest.end(ErrSlow, droppedMemory)
	}
}

// gap ends all subscriptions: they can't be told of everything any more. What
// waits for them is whole, and comes first.
func (f *Feed) gap(why error) {
	all := f.subscribers(nil)
	f.log.Warn("what was stored has a gap", "subscribers", len(all), "err", why)
	f.metrics.gaps.Inc()
	for _, s := range all {
		s.endAfterQueue(ErrGap)
	}
}

// open lets subscribers in; with an error it lets none in, and says why.
func (f *Feed) open(down error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}
