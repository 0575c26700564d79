package search_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/rueidis"

	"visualizer/internal/stack/stacktest"
	"visualizer/query/cache"
	"visualizer/query/search"
	"visualizer/schema"
)

// store writes tweets as the writer does: in one transaction with a lane's
// counter.
func store(t testing.TB, client rueidis.Client, tweets ...schema.Tweet) {
	t.Helper()
	cmds := rueidis.Commands{client.B().Multi().Build()}
	for _, tw := range tweets {
		doc := schema.NewDocument(tw, schema.Ranks{})
		doc.Own = true
		text, err := schema.Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, client.B().JsonSet().Key(doc.Key()).Path("$").Value(string(text)).Build())
	}
	cmds = append(cmds, client.B().Incr().Key(schema.LaneKeys()[len(tweets)%schema.Lanes]).Build(), client.B().Exec().Build())
	for _, r := range client.DoMulti(deadline(t), cmds...) {
		if err := r.Error(); err != nil {
			t.Fatal(err)
		}
	}
}

// totalOf returns how many tweets match, or -1 when that can't be told now:
// total and page differ, since a write came between the two, or the connection
// is lost.
func totalOf(t *testing.T, s *search.Store, f *search.Filter) int {
	t.Helper()
	page, err := s.Tweets(deadline(t), search.Request{Filter: f, Order: search.Newest, Want: search.Want{Tweets: schema.AllParts, Total: true}})
	if errors.Is(err, search.ErrUnavailable) {
		return -1 // the connection was just cut
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Tweets) != page.Total {
		return -1
	}
	return page.Total
}

// await asks until a total is seen, for so long.
func await(t *testing.T, s *search.Store, f *search.Filter, want int, within time.Duration) {
	t.Helper()
	began := time.Now()
	for {
		asked := time.Since(began)
		got := totalOf(t, s, f)
		if got == want {
			return
		}
		if asked > within {
			t.Fatalf("total %d after %v, want %d", got, within, want)
		}
	}
}

// TestCacheSeesWrites: a page stands while nothing is stored, and what was
// stored is seen soon. What somebody changed behind the writer's back is seen
// when the page is too old.
func TestCacheSeesWrites(t *testing.T) {
	client := open(t)
	s := search.NewCached(client)
	english := &search.Filter{Langs: []string{"en"}}
	for i := range 5 {
		store(t, client, schema.Tweet{ID: fmt.Sprint(i + 1), Lang: "en"})
		await(t, s, english, i+1, cache.MaxAge/2)
		await(t, s, nil, i+1, cache.MaxAge/2)
	}
	before := s.Caches()["pages"].Misses.Load()
	if n := totalOf(t, s, english); n != 5 {
		t.Errorf("total %d", n)
	}
	if s.Caches()["pages"].Misses.Load() != before {
		t.Error("a page that nothing changed was read again")
	}
	if err := client.Do(deadline(t), client.B().Del().Key(schema.TweetKey("3")).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	await(t, s, english, 4, 2*cache.MaxAge)
}

// TestCacheKeepsQuestionsApart: pages that differ in anything are each other's
// never.
func TestCacheKeepsQuestionsApart(t *testing.T) {
	client := open(t)
	w := newWorld(29, 60)
	put(t, client, shuffled(w)...)
	cached, plain := search.NewCached(client), search.New(client)
	first, err := plain.Tweets(deadline(t), search.Request{Order: search.Newest, Want: search.Want{Tweets: schema.AllParts}})
	if err != nil {
		t.Fatal(err)
	}
	cursor := first.Cursor(first.Tweets[5])
	for range 3 { // the first time read, then from the cache
		for i, r := range []search.Request{
			{}, {First: new(3)}, {Last: new(3)}, {First: new(3), Offset: new(2)}, {First: new(3), After: &cursor}, {First: new(3), Before: &cursor}, {Last: new(3), Before: &cursor},
			{Filter: &search.Filter{Langs: []string{"en"}}}, {Filter: &search.Filter{Langs: []string{"ja"}}}, {Filter: &search.Filter{Not: &search.Filter{Langs: []string{"en"}}}},
			{Order: search.Order{Field: search.OrderLikes}}, {Order: search.Order{Field: search.OrderLikes, Descending: true}}, {First: new(0)},
		} {
			if r.Order.Field == "" {
				r.Order = search.Newest
			}
			for _, r.Want = range []search.Want{{Tweets: schema.AllParts}, {Tweets: schema.AllParts, Total: true, HasNext: true, HasPrevious: true}, {Total: true}, {HasNext: true}} {
				want, err := plain.Tweets(deadline(t), r)
				if err != nil {
					t.Fatal(err)
				}
				got, err := cached.Tweets(deadline(t), r)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(ids(got), got.Total, got.HasNext, got.HasPrevious) != fmt.Sprint(ids(want), want.Total, want.HasNext, want.HasPrevious) {
					t.Errorf("request %d, want %+v: cached %v, plain %v", i, r.Want, ids(got), ids(want))
				}
			}
		}
	}
}

// lateClient does something between a search's answer and its arrival.
type lateClient struct {
	rueidis.Client
	once sync.Once
	late func()
}

func (c *lateClient) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	search := cmd.Commands()[0] == "FT.SEARCH"
	r := c.Client.Do(ctx, cmd)
	if search {
		c.once.Do(c.late)
	}
	return r
}

// TestCacheEpochBeforePage: a page that was read before a write is not taken
// for one of the epoch behind it.
func TestCacheEpochBeforePage(t *testing.T) {
	client := open(t)
	store(t, client, schema.Tweet{ID: "1", Lang: "en"})
	late := &lateClient{Client: client}
	s := search.NewCached(late)
	before, err := s.Epoch(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	late.late = func() {
		store(t, client, schema.Tweet{ID: "2", Lang: "en"})
		for now := before; now == before; { // until the news has come
			if now, err = s.Epoch(deadline(t)); err != nil {
				t.Error(err)
				return
			}
		}
	}
	totalOf(t, s, &search.Filter{Langs: []string{"en"}})
	await(t, s, &search.Filter{Langs: []string{"en"}}, 2, cache.MaxAge/2)
}

// TestCacheWithoutNews: while the connection on which Redis tells of changes is
// cut again and again, nothing is older than MaxAge.
func TestCacheWithoutNews(t *testing.T) {
	servers := stacktest.Start(t)
	writer := openOn(t, servers)
	s := search.NewCached(stacktest.Redis(t, servers))
	english := &search.Filter{Langs: []string{"en"}}
	for i := range 3 {
		totalOf(t, s, english)
		killed, err := writer.Do(deadline(t), writer.B().Arbitrary("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Build()).AsInt64()
		if killed == 0 || err != nil {
			t.Fatalf("%d connections were cut, %v", killed, err)
		}
		store(t, writer, schema.Tweet{ID: fmt.Sprint(i + 1), Lang: "en"})
		await(t, s, english, i+1, cache.MaxAge)
	}
}

// TestPartsOfTweets: a page holds what was wanted of its tweets and what orders
// them, and the pages of other wants are others.
func TestPartsOfTweets(t *testing.T) {
	client := open(t)
	at := schema.Time(1_700_000_000_000)
	tweet := &schema.Tweet{ID: "1", RawText: `a "quoted" \ text`, Text: `a "quoted" \ text`, CreatedAt: &at, Lang: "en", Hashtags: []string{"tag"}}
	put(t, client, tweet)
	store := search.NewCached(client)
	for _, c := range []struct {
		want  schema.Parts
		tweet *schema.Tweet
	}{
		{schema.PartsOf("id"), &schema.Tweet{ID: "1", CreatedAt: &at}},
		{schema.PartsOf("text"), &schema.Tweet{ID: "1", CreatedAt: &at, RawText: tweet.RawText, Text: tweet.Text}},
		{schema.PartsOf("hashtags", "lang"), &schema.Tweet{ID: "1", CreatedAt: &at, Lang: "en", Hashtags: []string{"tag"}}},
		{schema.AllParts, tweet},
	} {
		page, err := store.Tweets(deadline(t), search.Request{Order: search.Newest, Want: search.Want{Tweets: c.want}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*schema.Tweet{c.tweet}, page.Tweets); diff != "" {
			t.Errorf("parts %b (-want +got):\n%s", c.want, diff)
		}
	}
}

// TestOneTripForAll: who asks for the same tweets or the same user at the same
// moment shares the answer, and what is stored meanwhile is seen.
func TestOneTripForAll(t *testing.T) {
	client := open(t)
	s := search.NewCached(client)
	store(t, client, schema.Tweet{ID: "1", Author: &schema.User{ID: "9", Username: "Mira"}})
	pause := client.B().ClientPause().Timeout(300).All().Build()
	if err := client.Do(deadline(t), pause).Error(); err != nil {
		t.Fatal(err)
	}
	const askers = 50
	var all sync.WaitGroup
	for range askers {
		all.Go(func() {
			if found, err := s.Lookup(deadline(t), []string{"1", "2"}); err != nil || found["1"] == nil || found["2"] != nil {
				t.Errorf("Lookup: %v, %v", found, err)
			}
		})
		all.Go(func() {
			if u, err := s.User(deadline(t), nil, new("mira")); err != nil || u == nil || u.ID != "9" {
				t.Errorf("User: %v, %v", u, err)
			}
		})
	}
	all.Wait()
	for _, name := range []string{"lookups", "users"} {
		if n := s.Caches()[name].Misses.Load(); n > askers/4 {
			t.Errorf("%d trips for the %s of %d askers", n, name, askers)
		}
	}
	store(t, client, schema.Tweet{ID: "2"})
	if found, err := s.Read(deadline(t), []string{"2"}); err != nil || found["2"] == nil {
		t.Errorf("Read after a store: %v, %v", found, err)
	}
}
