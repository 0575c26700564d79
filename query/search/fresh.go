package search

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/query/cache"
	"visualizer/schema"
)

const (
	pageBytes  = 64 << 20 // of cached pages, about
	tweetBytes = 2 << 10  // of a tweet in memory, about, without what it says
	totalBytes = 4 << 20  // of cached totals
)

// NewCached returns a Store that keeps pages and totals for as long as the
// store's epoch stands, see cache.MaxAge. Pages are shared by all who get them.
func NewCached(client rueidis.Client) *Store {
	s := New(client)
	s.pages = cache.New(pageBytes, (*Page).bytes).Dated(func(p *Page) time.Time { return p.Asked })
	s.totals = cache.New(totalBytes, func(total) int { return 48 }).Strict()
	s.lookups, s.users = cache.NewMeeting[map[string]*schema.Tweet](), cache.NewMeeting[*schema.User]()
	return s
}

// Caches returns the counts of the caches by name, nil when there are none.
func (s *Store) Caches() map[string]*cache.Stats {
	if s.pages == nil {
		return nil
	}
	return map[string]*cache.Stats{"pages": s.pages.Stats(), "totals": s.totals.Stats(), "lookups": s.lookups.Stats(), "users": s.users.Stats()}
}

// shared returns the answer to a question, that of who asks it at the same
// moment when there is one.
func shared[V any](ctx context.Context, s *Store, asked *cache.Meeting[V], question string, ask func(context.Context) (V, error)) (V, error) {
	if asked == nil {
		return ask(ctx)
	}
	epoch, err := s.Epoch(ctx)
	if err != nil {
		var none V
		return none, err
	}
	return asked.Do(ctx, question, epoch, ask)
}

// Epoch names a state of the store: it changes whenever a document does. It is
// read from Redis at least once in cache.MaxAge, and again as soon as Redis
// tells that it has changed or the connection on which it would is lost.
func (s *Store) Epoch(ctx context.Context) (string, error) {
	counters, err := within(ctx, s, func(ctx context.Context) (map[string]rueidis.RedisMessage, error) {
		return rueidis.MGetCache(s.client, ctx, cache.MaxAge, schema.LaneKeys())
	})
	if err != nil {
		return "", fmt.Errorf("read the store's epoch: %w", err)
	}
	var b strings.Builder
	for _, key := range schema.LaneKeys() {
		counter := counters[key]
		text, _ := counter.ToString() // "" before the first transaction
		b.WriteString(text + ".")
	}
	return b.String(), nil
}

// total is how many tweets match, and when that was asked.
type total struct {
	n     int
	asked time.Time
}

// total returns how many tweets match. That of all is what the index counts
// anyway.
func (s *Store) total(ctx context.Context, l *list) (total, error) {
	query, _ := l.query(branch{})
	count := func(ctx context.Context) (t total, err error) {
		t.asked = time.Now()
		if query == "*" {
			t.n, err = within(ctx, s, func(ctx context.Context) (int, error) { return index.Count(ctx, s.client) })
			return t, err
		}
		t.n, err = s.count(ctx, l, query)
		return t, err
	}
	if l.epoch == "" {
		return count(ctx)
	}
	return s.totals.Do(ctx, l.filter, l.epoch, count)
}

// bytes is about how much memory a page takes.
func (p *Page) bytes() int {
	n := 100
	for _, t := range p.Tweets {
		n += tweetBytes + saidBytes(t)
	}
	return n
}

// saidBytes is the length of what a tweet says at length.
func saidBytes(t *schema.Tweet) int {
	n := 2*len(t.RawText) + len(t.OriginalText) + 64*(len(t.Mentions)+len(t.Media)+len(t.References)+len(t.EditHistoryIDs)+len(t.MatchingRules))
	for _, tags := range [][]string{t.Hashtags, t.Cashtags} {
		for _, tag := range tags {
			n += 16 + len(tag)
		}
	}
	for _, m := range t.Mentions {
		n += len(m.Username)
	}
	for _, u := range t.URLs {
		n += 64 + len(u.URL) + len(u.ExpandedURL) + len(u.Title)
	}
	for _, m := range t.Media {
		n += len(m.URL) + len(m.AltText)
	}
	if t.Author != nil {
		n += len(t.Author.Name) + len(t.Author.Description) + len(t.Author.Location) + len(t.Author.ProfileImageURL)
	}
	return n
}
