package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"

	"visualizer/internal/index"
	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

func openRedis(t *testing.T) (context.Context, rueidis.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	client := stacktest.Redis(t, stacktest.Start(t))
	if _, err := index.Ensure(ctx, client, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return ctx, client
}

// TestWritersCompete has several writers store observations of the same few
// tweets at once, in lanes and holding all of them. The store must be that of
// one writer, and the test shows that they did get in each other's way.
func TestWritersCompete(t *testing.T) {
	ctx, client := openRedis(t)
	rng := rand.New(rand.NewPCG(5, 5))
	var events []schema.Event
	for range 8 {
		events = append(events, observations(rng)...)
	}
	for i := range events { // one truth: each its own time
		if n := events[i].Notice; n != nil && n.Withheld != nil {
			n.ObservedAt = new(schema.Time(2_000_000 + i))
		}
		if tw := events[i].Tweet; tw != nil {
			*tw.ObservedAt = schema.Time(1_000_000 + i)
			if tw.Author != nil {
				tw.Author.ObservedAt = tw.ObservedAt
			}
		}
	}
	const writers = 6
	moved := make([]int, writers)
	var g errgroup.Group
	for i := range writers {
		own := slices.Clone(events)
		rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		own = own[:len(own)*2/3+i*len(own)/3/writers]
		if i == 0 {
			own = events
		}
		g.Go(func() (err error) { moved[i], err = compete(ctx, client, own, uint64(1_000*i)); return err })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	alone := newMemory()
	for i := range events {
		alone.store([]work{{event: clone(t, &events[i]), place: uint64(i)}})
	}
	if diff := cmp.Diff(alone.shown(), readAll(t, ctx, client)); diff != "" {
		t.Errorf("the store is not that of one writer (-want +got):\n%s", diff)
	}
	if total := sum(moved); total == 0 {
		t.Error("no writer was ever too late: the test shows nothing")
	}
}

func sum(ns []int) (total int) {
	for _, n := range ns {
		total += n
	}
	return total
}

// compete stores events as a writer does, one by one, and returns how often it
// was too late.
func compete(ctx context.Context, client rueidis.Client, events []schema.Event, place uint64) (moved int, err error) {
	all := &Writer{all: &lane{client: client, keys: schema.LaneKeys()}, metrics: newMetrics(prometheus.NewRegistry()), log: slog.New(slog.DiscardHandler)}
	for i := range events {
		queue := []work{{event: &events[i], place: place + uint64(i)}}
		for len(queue) > 0 {
			n, err := competeFor(ctx, all.all, queue[0])
			moved += n
			if err != nil {
				return moved, err
			}
			if e := queue[0]; e.sweeps() {
				ids, err := all.authored(ctx, string(e.event.Notice.UserID))
				if err != nil {
					return moved, err
				}
				for _, id := range ids {
					queue = append(queue, touch(id))
				}
			}
			queue = queue[1:]
		}
	}
	return moved, nil
}

// competeFor stores one event in its lane, or holding all.
func competeFor(ctx context.Context, all *lane, w work) (moved int, err error) {
	l := all
	if !w.exclusive() {
		l = &lane{client: all.client, keys: all.keys[w.lane(schema.Lanes):][:1]}
	}
	for {
		switch _, err := l.attempt(ctx, part{events: []work{w}}); {
		case errors.Is(err, errChained):
			l = all
		case errors.Is(err, errMoved):
			moved++
		default:
			return moved, err
		}
	}
}

// readAll returns every document of the store by its key.
func readAll(t *testing.T, ctx context.Context, client rueidis.Client) map[string]schema.Tweet {
	t.Helper()
	all := map[string]schema.Tweet{}
	for _, prefix := range []string{schema.TweetPrefix, schema.HiddenPrefix} {
		keys, err := client.Do(ctx, client.B().Keys().Pattern(prefix+"*").Build()).AsStrSlice()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			m, err := client.Do(ctx, client.B().JsonGet().Key(key).Path(".").Build()).ToMessage()
			if err != nil {
				t.Fatal(err)
			}
			doc, err := readDocument(m)
			if err != nil {
				t.Fatal(err)
			}
			if doc.Key() != key {
				t.Errorf("the document under %s belongs under %s", key, doc.Key())
			}
			all[key] = doc.Tweet
		}
	}
	return all
}

// TestLaneOfManyVersions follows a chain of which a lane reads one more version
// in each round.
func TestLaneOfManyVersions(t *testing.T) {
	ctx, client := openRedis(t)
	l := &lane{client: client, keys: schema.LaneKeys()}
	for i := 2; i <= 5; i++ {
		tw := &schema.Tweet{ID: fmt.Sprint(100 + i), EditHistoryIDs: []string{fmt.Sprint(99 + i), fmt.Sprint(100 + i)}}
		if _, err := l.store(ctx, part{events: []work{{event: &schema.Event{Kind: schema.KindTweet, Tweet: tw}, place: uint64(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.store(ctx, part{events: []work{{event: deleteOf("101"), place: 9}}}); err != nil {
		t.Fatal(err)
	}
	if left := readAll(t, ctx, client); len(left) > 0 {
		t.Errorf("a deleted chain left %v", left)
	}
}

// TestSecondDelivery: a part that was executed is not counted again when it
// comes again, whatever it holds.
func TestSecondDelivery(t *testing.T) {
	ctx, client := openRedis(t)
	l := &lane{client: client, keys: schema.LaneKeys()}
	tweet := func(likes int64) *schema.Event {
		return &schema.Event{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: "7", Metrics: schema.Metrics{Likes: &likes}}}
	}
	p := part{of: delivery{sequence: 5, stored: 5}, events: []work{{event: tweet(1), place: 1}, {event: tweet(2), place: 2}, {event: deleteOf("8"), place: 3}, {event: tweet(3), place: 4}}}
	want := map[string]string{"stored": "1", "updated": "2"}
	for range 3 {
		if _, err := l.store(ctx, p); err != nil {
			t.Fatal(err)
		}
		got, err := client.Do(ctx, client.B().Hgetall().Key(schema.StatusKey).Build()).AsStrMap()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("counted (-want +got):\n%s", diff)
		}
	}
	// Another message's part counts, whatever its places.
	p.of = delivery{sequence: 6, stored: 6}
	if _, err := l.store(ctx, p); err != nil {
		t.Fatal(err)
	}
	if err := client.Do(ctx, client.B().Hget().Key(schema.StatusKey).Field(schema.StatusDuplicates).Build()).Error(); err != nil {
		t.Errorf("a part of another message counted nothing: %v", err)
	}
}
