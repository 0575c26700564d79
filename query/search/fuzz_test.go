package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/redis/rueidis"

	"visualizer/query/search"
	"visualizer/schema"
)

// FuzzFilter asks the server for random filters with any string in every part
// that takes one. Never an error reply, never another number of tweets than
// Match finds, and the server that answers is the one that was started.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		"the|is|dogs", "*" + strings.Repeat("a", 1025) + "*", "*" + strings.Repeat("b", 1025), "w'" + strings.Repeat("c", 1025) + "'", strings.Repeat("%", 9) + "d",
		"nul\x00cut", "back\\slash", "\\", "{a|b}", "[0 inf]", "$p0", "@words:x", "=>{$slop:0}", `"`, `""`, "-", "--a", "OR", "a OR", "OR OR a", "!!!", "*", "a*", "abc*",
		"\xff\xfe", "a\u200db", "🔥🔥", `"🔥 🔥"`, "(", ")", "~a", "a:b", "|", "||", "-\"a b\"", "\n", "x) | (@nulls:{byLikes}", "alice} @lang:{en",
	} {
		for seed := range uint64(12) { // as a text by itself, and in most lists
			f.Add(seed, s)
		}
	}
	client := open(f)
	w := newWorld(5, 600)
	put(f, client, shuffled(w)...)
	store := search.New(client)
	hasty := search.NewHasty(store)
	pid := serverPID(f, client)
	f.Fuzz(func(t *testing.T, seed uint64, s string) {
		asked := &world{Rand: rand.New(rand.NewPCG(seed, 2)), tweets: w.tweets, byID: w.byID, ids: w.ids}
		filter := asked.with(s)
		if seed%3 == 0 {
			filter.Text = &s
		}
		want := 0
		p, err := search.NewPredicate(filter)
		if err != nil { // as a tag it can always be asked for
			filter = &search.Filter{Hashtags: []string{s}, Any: []*search.Filter{{Usernames: []string{s}}, {}}}
			if p, err = search.NewPredicate(filter); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range w.tweets {
			if p.Match(c) {
				want++
			}
		}
		asks := []*search.Store{store, hasty}[seed%2]
		page, err := asks.Tweets(deadline(t), search.Request{Filter: filter, Order: asked.order(), First: new(search.MaxFirst), Want: search.Want{Tweets: schema.AllParts, Total: true}})
		if err != nil {
			t.Fatalf("%s: %v", describe(search.Request{Filter: filter}), err)
		}
		if page.Total != want || len(page.Tweets) != min(want, search.MaxFirst) {
			t.Errorf("%s: %d tweets, total %d, want %d", describe(search.Request{Filter: filter}), len(page.Tweets), page.Total, want)
		}
		for _, tw := range page.Tweets {
			if !p.Match(w.tweets[tw.ID]) {
				t.Errorf("%s: %s does not match", describe(search.Request{Filter: filter}), tw.ID)
			}
		}
		if now := serverPID(t, client); now != pid {
			t.Fatalf("%s: the server is process %s, was %s", describe(search.Request{Filter: filter}), now, pid)
		}
	})
}

// with returns a random filter in which s stands somewhere.
func (w *world) with(s string) *search.Filter {
	f := &search.Filter{}
	if w.IntN(2) == 0 {
		f = w.filter(0)
	}
	for range 1 + w.IntN(2) {
		into := f
		if len(f.Any) > 0 && f.Any[0] != nil && w.IntN(2) == 0 {
			into = f.Any[0]
		}
		[]func(){
			func() { into.Text = &s }, func() { into.Text = &s }, func() { into.Text = &s },
			func() { into.IDs = append(into.IDs, s) }, func() { into.AuthorIDs = append(into.AuthorIDs, s) },
			func() { into.Usernames = append(into.Usernames, s) }, func() { into.Hashtags = append(into.Hashtags, s) },
			func() { into.AllHashtags = append(into.AllHashtags, s) }, func() { into.Mentions = append(into.Mentions, s) },
			func() { into.Langs = append(into.Langs, s) }, func() { into.ConversationID = &s },
			func() { into.LinkHosts = append(into.LinkHosts, s) }, func() { into.CountryCodes = append(into.CountryCodes, s) },
			func() { into.Sources = append(into.Sources, s) },
		}[w.IntN(14)]()
	}
	return f
}

func serverPID(t testing.TB, client rueidis.Client) string {
	t.Helper()
	info, err := client.Do(deadline(t), client.B().Info().Section("server").Build()).ToString()
	if err != nil {
		t.Fatalf("ask the server for its pid: %v", err)
	}
	_, rest, _ := strings.Cut(info, "process_id:")
	pid, _, _ := strings.Cut(rest, "\r\n")
	return pid
}
