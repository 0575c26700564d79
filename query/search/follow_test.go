package search_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/internal/stack/stacktest"
	"visualizer/query/feed"
	"visualizer/query/search"
	"visualizer/schema"
)

// followed is a filter with what its subscriber is told.
type followed struct {
	filter *search.Filter
	told   *feed.Subscription
}

// TestFollowers: who follows a random filter is told of the very tweets that
// tweets then finds by it, each once.
func TestFollowers(t *testing.T) {
	servers := stacktest.Start(t)
	client := openOn(t, servers)
	url, options := servers.NATS()
	conn, err := nats.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: schema.StreamStored, Subjects: []string{schema.SubjectStored}}); err != nil {
		t.Fatal(err)
	}
	store := search.New(client)
	f := feed.New(store, feed.DefaultLimits(), slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx, conn) }()
	defer func() { stop(); <-ended }()
	opening, tick := deadline(t), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ; f.Ready(ctx) != nil; <-tick.C {
		if opening.Err() != nil {
			t.Fatal("the feed does not open")
		}
	}

	w := newWorld(3, 2000)
	var all []followed
	for len(all) < 300 {
		filter := w.filter(0)
		p, err := search.NewPredicate(filter)
		if err != nil {
			continue
		}
		s, err := f.Subscribe(ctx, deadline(t), p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, followed{filter, s})
	}
	tweets := shuffled(w)
	put(t, client, tweets...)
	m := schema.Stored{Process: "p"}
	for part := range slices.Chunk(tweets, 100) {
		e := schema.Entry{Number: uint64(len(m.Entries) + 1)}
		for _, tweet := range part {
			e.IDs = append(e.IDs, tweet.ID)
		}
		m.Entries = append(m.Entries, e)
	}
	// The gap behind all of them ends the subscriptions.
	for _, m := range []schema.Stored{m, {Process: "p", Entries: []schema.Entry{{Number: 1_000}}}} {
		text, err := schema.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(t.Context(), schema.SubjectStored, text); err != nil {
			t.Fatal(err)
		}
	}
	matched := 0
	for _, one := range all {
		if checkFollower(t, store, one) {
			matched++
		}
	}
	if matched < len(all)/2 {
		t.Errorf("only %d of %d filters matched anything", matched, len(all))
	}
}

// checkFollower compares what a subscriber was told of with all pages.
func checkFollower(t *testing.T, store *search.Store, one followed) (matched bool) {
	t.Helper()
	var told, found []string
	ctx := deadline(t)
	for {
		it, err := one.told.Next(ctx)
		if errors.Is(err, feed.ErrGap) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, it.Tweet.ID)
	}
	r := search.Request{Filter: one.filter, Order: search.Newest, First: new(search.MaxFirst), Want: search.Want{Tweets: schema.AllParts, HasNext: true}}
	for more := true; more; {
		page, err := store.Tweets(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, tweet := range page.Tweets {
			found = append(found, tweet.ID)
		}
		if more = page.HasNext; more {
			r.After = new(page.Cursor(page.Tweets[len(page.Tweets)-1]))
		}
	}
	slices.Sort(told)
	slices.Sort(found)
	if !slices.Equal(told, found) {
		t.Errorf("the follower of %s is told of %d tweets, tweets finds %d", strings.ToValidUTF8(canonical(t, one.filter), "?"), len(told), len(found))
	}
	return len(found) > 0
}

func predicate(t *testing.T, f *search.Filter) *search.Predicate {
	t.Helper()
	p, err := search.NewPredicate(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func canonical(t *testing.T, f *search.Filter) string { return predicate(t, f).Canonical() }
