package search_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestPagesWhileTweetsMove: between pages newer tweets arrive, stored ones are
// stored again and the tweet of the cursor goes. Every tweet that was there at
// the start is met once, in order.
func TestPagesWhileTweetsMove(t *testing.T) {
	client := open(t)
	store := search.New(client)
	w := newWorld(13, 120)
	put(t, client, w.tweets...)
	want := w.list(nil, search.Newest)
	var got []string
	var cursor *string
	for round := 0; ; round++ {
		page, err := store.Tweets(deadline(t), search.Request{Order: search.Newest, First: new(10), After: cursor, Want: search.Want{Tweets: true, HasNext: true}})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ids(page)...)
		if !page.HasNext {
			break
		}
		last := page.Tweets[len(page.Tweets)-1]
		cursor = new(page.Cursor(last))
		newer := schema.Time(9_000_000_000_000 + int64(round))
		put(t, client, &schema.Tweet{ID: schema.Snowflake(newer, 1), CreatedAt: &newer})
		put(t, client, w.tweets[round*7%len(w.tweets)], w.tweets[round*11%len(w.tweets)])
		if err := client.Do(deadline(t), client.B().Del().Key(schema.TweetKey(last.ID)).Build()).Error(); err != nil {
			t.Fatal(err)
		}
		w.tweets = slices.DeleteFunc(w.tweets, func(tw *schema.Tweet) bool { return tw.ID == last.ID })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the walk met (-want +got):\n%s", diff)
	}
}
