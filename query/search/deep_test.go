package search_test

import (
	"fmt"
	"sync"
	"testing"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestDeepPages reads a list to its end beyond 10,000, where servers cut by
// default, and over that border by offset.
func TestDeepPages(t *testing.T) {
	client := open(t)
	store := search.New(client)
	const n = 10_050
	var tweets []*schema.Tweet
	for i := range n {
		at := worldStart + schema.Time(i/3)
		tweets = append(tweets, &schema.Tweet{ID: schema.Snowflake(at, uint32(i)), CreatedAt: &at})
	}
	put(t, client, tweets...)
	seen := map[string]bool{}
	var cursor *string
	for more := true; more; {
		page, err := store.Tweets(deadline(t), search.Request{Order: search.Newest, First: new(100), After: cursor, Want: search.Want{Tweets: schema.AllParts, HasNext: true}})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Tweets) == 0 {
			t.Fatalf("an empty page after %d tweets", len(seen))
		}
		for _, tw := range page.Tweets {
			seen[tw.ID] = true
		}
		cursor, more = new(page.Cursor(page.Tweets[len(page.Tweets)-1])), page.HasNext
	}
	if len(seen) != n {
		t.Errorf("the walk met %d tweets, want %d", len(seen), n)
	}
	page, err := store.Tweets(deadline(t), search.Request{Order: search.Newest, First: new(100), Offset: new(9_990), Want: search.Want{Tweets: schema.AllParts, Total: true, HasNext: true}})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Tweets) != 60 || page.Total != n || page.HasNext {
		t.Errorf("offset 9990: %d tweets, total %d, more %v, want 60, %d, false", len(page.Tweets), page.Total, page.HasNext, n)
	}
}

// TestVanishingHits: documents that are deleted and stored again while pages
// are read make no error, no blank and no repeated tweet.
func TestVanishingHits(t *testing.T) {
	client := open(t)
	store := search.New(client)
	w := newWorld(17, 1000)
	put(t, client, shuffled(w)...)
	stop, gone := make(chan struct{}), 0
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			tw := w.byID[w.ids[i*37%len(w.ids)]]
			if err := client.Do(deadline(t), client.B().Del().Key(schema.TweetKey(tw.ID)).Build()).Error(); err != nil {
				t.Error(err)
				return
			}
			put(t, client, tw)
			gone++
		}
	})
	for i := range 200 {
		order := search.Order{Field: []search.OrderField{search.OrderCreatedAt, search.OrderLikes, search.OrderUsername}[i%3], Descending: i%2 == 0}
		page, err := store.Tweets(deadline(t), search.Request{Order: order, First: new(100), Want: search.Want{Tweets: schema.AllParts, HasNext: true}})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, tw := range page.Tweets {
			if w.byID[tw.ID] == nil || seen[tw.ID] {
				t.Fatalf("tweet %q is blank or twice on a page", tw.ID)
			}
			seen[tw.ID] = true
		}
		if len(seen) != 100 || !page.HasNext {
			t.Fatalf("%v: a page of %d tweets, more %v, of about 1000", order, len(seen), page.HasNext)
		}
	}
	close(stop)
	writer.Wait()
	if gone < 100 {
		t.Errorf("only %d tweets went away meanwhile", gone)
	}
}

// TestCutPrefixes: a server that looks at few words of a prefix is told to look
// at all, also when ingest is not there to do it.
func TestCutPrefixes(t *testing.T) {
	client := open(t)
	var tweets []*schema.Tweet
	for i := range 300 {
		tweets = append(tweets, &schema.Tweet{ID: fmt.Sprint(i + 1), Text: fmt.Sprintf("cov%03d", i)})
	}
	put(t, client, tweets...)
	limit := func(args ...string) {
		t.Helper()
		if err := client.Do(deadline(t), client.B().Arbitrary(args...).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	limit("FT.CONFIG", "SET", "MAXPREFIXEXPANSIONS", "200")
	request := search.Request{Filter: &search.Filter{Text: new("cov*")}, Order: search.Newest, Want: search.Want{Total: true}}
	page, err := search.New(client).Tweets(deadline(t), request)
	if err != nil || page.Total != len(tweets) {
		t.Errorf("cov* finds %d, %v, want %d", page.Total, err, len(tweets))
	}
}
