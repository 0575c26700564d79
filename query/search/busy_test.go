package search_test

import (
	"flag"
	"sync"
	"testing"
	"time"

	"visualizer/query/search"
	"visualizer/schema"
)

// The race detector takes most of a writer's time, other tests the rest.
var pourRate = flag.Float64("pour", 1000, "how many tweets a second are stored, at least, in TestWalksWhileTweetsPourIn")

// TestWalksWhileTweetsPourIn: while tweets are stored as fast as Redis takes
// them, new ones and others with new counters, a walk in each order meets every
// tweet that nobody touched exactly once, and in order.
func TestWalksWhileTweetsPourIn(t *testing.T) {
	client := open(t)
	w := newWorld(31, 3000)
	put(t, client, shuffled(w)...)
	stop, stored := make(chan struct{}), 0
	began := time.Now()
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			var batch []schema.Tweet
			for j := range 60 {
				at := worldStart + schema.Time(i*61+j*977)%600_000
				batch = append(batch, schema.Tweet{ID: schema.Snowflake(at, uint32(1<<21+i*60+j)), CreatedAt: &at, Hashtags: []string{"poured"}, Metrics: schema.Metrics{Likes: new(int64(j % 3))}})
			}
			for j := range 4 { // tweets of the world, with other counters
				changed := *w.byID[w.ids[touched(i*4+j, len(w.ids))]]
				changed.Metrics.Likes = new(int64(i % 50))
				batch = append(batch, changed)
			}
			store(t, client, batch...)
			stored += len(batch)
		}
	})
	s := search.NewCached(client)
	for _, field := range []search.OrderField{search.OrderCreatedAt, search.OrderLikes, search.OrderUsername} {
		order := search.Order{Field: field, Descending: true}
		met := map[string]int{}
		var last *schema.Tweet
		for cursor, more := (*string)(nil), true; more; {
			page, err := s.Tweets(deadline(t), search.Request{Order: order, First: new(search.MaxFirst), After: cursor, Want: search.Want{Tweets: schema.AllParts, HasNext: true}})
			if err != nil {
				t.Fatal(err)
			}
			for _, tw := range page.Tweets {
				if last != nil && compare(last, tw, order) >= 0 {
					t.Fatalf("%s: %s stands behind %s", field, tw.ID, last.ID)
				}
				met[tw.ID]++
				last = tw
			}
			if more = page.HasNext; more {
				cursor = new(page.Cursor(last))
			}
		}
		for i, id := range w.ids {
			if i%touchEvery != 0 && met[id] != 1 {
				t.Errorf("%s: %s was met %d times", field, id, met[id])
			}
		}
	}
	close(stop)
	writer.Wait()
	rate := float64(stored) / time.Since(began).Seconds()
	t.Logf("%d tweets stored meanwhile, %.0f a second", stored, rate)
	if rate < *pourRate {
		t.Errorf("only %.0f tweets a second were stored meanwhile, want %.0f", rate, *pourRate)
	}
}

// touchEvery is how many tweets of the world there are for one that changes.
const touchEvery = 10

func touched(i, n int) int { return i * touchEvery % n }
