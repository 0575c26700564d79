package ingest

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"visualizer/schema"
)

func liked(id string, likes int64) work {
	at := schema.Time(likes)
	t := &schema.Tweet{ID: id, ObservedAt: &at, Metrics: schema.Metrics{Likes: &likes}}
	return work{event: &schema.Event{Kind: schema.KindTweet, Tweet: t}, place: uint64(likes)}
}

// TestRound: events about one tweet stay in order around an exclusive one, and
// a message that would not come out the same in every round has to wait.
func TestRound(t *testing.T) {
	deleted := work{event: deleteOf("1"), place: 2}
	m := &message{of: delivery{sequence: 3}}
	r := newRound(schema.Lanes)
	if !r.add(m, []work{liked("1", 1), deleted, liked("1", 3), liked("2", 4)}) {
		t.Fatal("a round does not take its first message")
	}
	got := map[string][]uint64{}
	for _, parts := range append(r.lanes, r.all) {
		for _, p := range parts {
			for _, w := range p.events {
				got[p.name()] = append(got[p.name()], w.place)
			}
		}
	}
	want := map[string][]uint64{"3.-1": {2, 3}}
	for _, w := range []work{liked("1", 1), liked("2", 4)} {
		name := "3." + strconv.Itoa(w.lane(schema.Lanes))
		want[name] = append(want[name], w.place)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places by part (-want +got):\n%s", diff)
	}
	if r.add(&message{of: delivery{sequence: 4}}, []work{liked("2", 5), liked("1", 6)}) || r.events != 4 {
		t.Error("an event overtakes an exclusive one of another message")
	}
	if !r.add(&message{of: delivery{sequence: 5}}, []work{liked("2", 5), deleted}) {
		t.Error("a message need not wait, and does")
	}
}

// TestCut: chunks hold all events in their order, of several parts where one is
// short.
func TestCut(t *testing.T) {
	works := func(from, n int) (events []work) {
		for i := range n {
			events = append(events, work{place: uint64(from + i)})
		}
		return events
	}
	parts := []part{{events: works(0, 3), lane: 0}, {events: works(3, 1), lane: 0}, {events: works(4, 5), lane: 0}}
	var sizes [][]int
	next := uint64(0)
	for _, chunk := range cut(parts, 4) {
		var size []int
		for _, p := range chunk {
			size = append(size, len(p.events))
			for _, w := range p.events {
				if w.place != next {
					t.Errorf("event %d where %d should stand", w.place, next)
				}
				next++
			}
		}
		sizes = append(sizes, size)
	}
	if diff := cmp.Diff([][]int{{3, 1}, {4}, {1}}, sizes); diff != "" {
		t.Errorf("events of the parts of each chunk (-want +got):\n%s", diff)
	}
}

// TestRunsCompete has writers run through chunks, each about tweets that all of
// them bring. They go from round to round together, so that what one has read ahead
// is old when another has written.
func TestRunsCompete(t *testing.T) {
	ctx, client := openRedis(t)
	const writers, rounds, tweets = 3, 60, 4
	var together [rounds]sync.WaitGroup
	for i := range together {
		together[i].Add(writers)
	}
	var g errgroup.Group
	for n := range writers {
		g.Go(func() error {
			var chunks [][]part
			for i := range rounds {
				p := part{of: delivery{sequence: uint64(n + 1), stored: 1}}
				for id := range tweets {
					w := liked(strconv.Itoa(1+i*tweets+id), int64(1+n))
					w.place = uint64(1 + i*tweets + id)
					p.events = append(p.events, w)
				}
				chunks = append(chunks, []part{p})
			}
			l := &lane{client: client, keys: schema.LaneKeys()[:1]}
			round := 0
			return l.run(ctx, chunks, func(outcome) error {
				together[round].Done()
				together[round].Wait()
				round++
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for key, tweet := range readAll(t, ctx, client) {
		if *tweet.Metrics.Likes != writers {
			t.Errorf("%s has %d likes, the newest observation had %d", key, *tweet.Metrics.Likes, writers)
		}
	}
	counts, err := client.Do(ctx, client.B().Hgetall().Key(schema.StatusKey).Build()).AsIntMap()
	if err != nil {
		t.Fatal(err)
	}
	total := counts[schema.StatusStored] + counts[schema.StatusUpdated] + counts[schema.StatusDuplicates]
	if counts[schema.StatusStored] != rounds*tweets || total != writers*rounds*tweets {
		t.Errorf("counted %s; want %d stored, %d in all", fmt.Sprint(counts), rounds*tweets, writers*rounds*tweets)
	}
}
