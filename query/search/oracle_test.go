package search_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
	"visualizer/query/search"
	"visualizer/schema"
)

var (
	oracleQueries = flag.Int("oracle", 800, "how many random queries TestOracle asks")
	oracleSeed    = flag.Uint64("oracle-seed", 7, "the seed of TestOracle's tweets and queries")
)

// TestOracle compares pages of random filters in every order, walked forward,
// backward and by offset, with a plain scan. In a third of the walks tweets
// arrive, change, go and are stored again between the pages.
func TestOracle(t *testing.T) {
	client := open(t)
	w := newWorld(*oracleSeed, 5000)
	put(t, client, shuffled(w)...)
	o := &oracle{t: t, world: w, client: client, kinds: map[search.Kind]int{}}
	store := search.New(client)
	stale := newWorld(*oracleSeed+1, 300)
	stores := []*search.Store{
		store, search.NewHasty(store),
		search.NewMisled(store, shuffled(stale)),                                       // of a store that is no more
		search.NewMisled(store, slices.Repeat([]*schema.Tweet{w.byID[w.ids[0]]}, 200)), // either all match or none
	}
	for asked := 0; asked < *oracleQueries; {
		f := w.filter(0)
		if tooMany(f) {
			continue
		}
		asked++
		o.store = stores[asked%len(stores)]
		if w.IntN(5) == 0 {
			o.byOffset(f, w.order(), w.IntN(3) == 0)
			continue
		}
		o.walk(f, w.order(), w.IntN(3) == 0)
	}
	if o.matched < *oracleQueries/2 {
		t.Errorf("only %d of %d filters matched anything", o.matched, *oracleQueries)
	}
	if o.texts < *oracleQueries/8 {
		t.Errorf("only %d queries matched by text", o.texts)
	}
	if o.changes < *oracleQueries/3 {
		t.Errorf("only %d changes were made between pages", o.changes)
	}
	if zero := w.share(func(t *schema.Tweet) bool { return t.Metrics.Likes != nil && *t.Metrics.Likes == 0 }); zero < 0.55 {
		t.Errorf("%.0f %% of the tweets have no likes, want about 60 %%", 100*zero)
	}
	if failures, err := index.Failures(deadline(t), client); failures != 0 || err != nil {
		t.Errorf("the index refused %d documents, %v", failures, err)
	}
	for _, kind := range []search.Kind{search.KindWindow, search.KindWhole, search.KindRare, search.KindTies, search.KindOffset, search.KindTotal, search.KindProbe} {
		if o.kinds[kind] < 20 {
			t.Errorf("only %d steps were of kind %s", o.kinds[kind], kind)
		}
	}
	t.Logf("%d queries, %d matched, %d by text, %d pages, %d changes, steps %v", *oracleQueries, o.matched, o.texts, o.pages, o.changes, o.kinds)
}

// shuffled returns the tweets in no order, so that documents with equal keys
// are not by chance in the order of their ids.
func shuffled(w *world) []*schema.Tweet {
	var tweets []*schema.Tweet
	for _, id := range w.ids {
		tweets = append(tweets, w.byID[id])
	}
	w.Shuffle(len(tweets), func(i, j int) { tweets[i], tweets[j] = tweets[j], tweets[i] })
	return tweets
}

// oracle asks the store and compares with the world.
type oracle struct {
	*world
	t                       *testing.T
	client                  rueidis.Client
	store                   *search.Store
	matched, pages, changes int
	texts                   int                 // walks that matched something by text
	kinds                   map[search.Kind]int // steps of plans
}

// maxPages bounds a walk; a longer list is entered again near its end.
const maxPages = 8

// byOffset reads a list page by page by offset.
func (o *oracle) byOffset(f *search.Filter, order search.Order, moving bool) {
	size := 1 + o.IntN(search.MaxFirst)
	for page := 0; page < maxPages; page++ {
		list := o.list(f, order)
		offset := page * size
		lo := min(offset, len(list))
		got := o.check(search.Request{
			Filter: f, Order: order, First: &size, Offset: &offset,
			Want: search.Want{Tweets: schema.AllParts, Total: true, HasNext: true, HasPrevious: true},
		}, list, lo, min(lo+size, len(list)))
		if len(got.Tweets) == 0 {
			return
		}
		if moving {
			o.change(got.Tweets[0])
		}
	}
}

// walk reads a list page by page, forward or backward.
func (o *oracle) walk(f *search.Filter, order search.Order, moving bool) {
	size, backward := 1+o.IntN(search.MaxFirst), o.IntN(2) == 0
	list := o.list(f, order)
	if len(list) > 0 {
		o.matched++
		if asksText(f) {
			o.texts++
		}
	}
	var cursor *string
	var last *schema.Tweet // whose cursor it is, as it was on its page
	for page := 0; ; page++ {
		if page == maxPages && len(list) > maxPages*size {
			cursor, last = o.jump(f, order, list, backward)
		}
		r := search.Request{Filter: f, Order: order, Want: search.Want{Tweets: parts[o.IntN(len(parts))], Total: page == 0, HasNext: true, HasPrevious: true}}
		lo, hi := o.slice(list, order, last, size, backward)
		if backward {
			r.Last, r.Before = &size, cursor
		} else {
			r.First, r.After = &size, cursor
		}
		got := o.check(r, list, lo, hi)
		if len(got.Tweets) == 0 || page > 2*maxPages {
			return
		}
		last = got.Tweets[len(got.Tweets)-1]
		if backward {
			last = got.Tweets[0]
		}
		cursor = new(got.Cursor(last))
		if moving {
			o.change(last)
			list = o.list(f, order)
		}
	}
}

// slice returns which part of the list the page next to a tweet must be.
func (o *oracle) slice(list []*schema.Tweet, order search.Order, last *schema.Tweet, size int, backward bool) (lo, hi int) {
	if backward {
		hi = len(list)
		if last != nil {
			hi, _ = slices.BinarySearchFunc(list, last, func(a, b *schema.Tweet) int { return compare(a, b, order) })
		}
		return max(hi-size, 0), hi
	}
	if last != nil {
		var found bool
		if lo, found = slices.BinarySearchFunc(list, last, func(a, b *schema.Tweet) int { return compare(a, b, order) }); found {
			lo++
		}
	}
	return lo, min(lo+size, len(list))
}

// jump reads one tweet by offset, not far from the end that the walk goes to,
// and returns its cursor.
func (o *oracle) jump(f *search.Filter, order search.Order, list []*schema.Tweet, backward bool) (*string, *schema.Tweet) {
	offset := o.IntN(min(len(list), 200))
	if !backward {
		offset = min(max(len(list)-1-offset, 0), search.MaxOffset)
	}
	got := o.check(search.Request{Filter: f, Order: order, First: new(1), Offset: &offset, Want: search.Want{Tweets: schema.AllParts, HasNext: true, HasPrevious: true}}, list, offset, offset+1)
	return new(got.Cursor(got.Tweets[0])), got.Tweets[0]
}

// check asks for a page, which must be list[lo:hi].
func (o *oracle) check(r search.Request, list []*schema.Tweet, lo, hi int) *search.Page {
	o.t.Helper()
	o.pages++
	got, err := o.store.Tweets(deadline(o.t), r)
	what := func() string {
		return fmt.Sprintf("%s\nrows %d:%d of %d", describe(r), lo, hi, len(list))
	}
	if err != nil {
		o.t.Fatalf("%s: %v", what(), err)
	}
	for _, step := range got.Plan.Steps() {
		o.kinds[step.Kind]++
	}
	want := make([]string, hi-lo)
	for i, t := range list[lo:hi] {
		want[i] = t.ID
	}
	if diff := cmp.Diff(want, ids(got)); diff != "" {
		o.t.Fatalf("%s (-want +got):\n%splan %+v", what(), diff, got.Plan.Steps())
	}
	if r.Want.Tweets == schema.AllParts {
		// RedisJSON may miss the last bit of a degree.
		if diff := cmp.Diff(list[lo:hi], got.Tweets, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			o.t.Fatalf("%s (-want +got):\n%s", what(), diff)
		}
	}
	if got.HasPrevious != (lo > 0) || got.HasNext != (hi < len(list)) {
		o.t.Fatalf("%s: hasPrevious %v, hasNext %v", what(), got.HasPrevious, got.HasNext)
	}
	if r.Want.Total && got.Total != len(list) {
		o.t.Fatalf("%s: total %d", what(), got.Total)
	}
	return got
}

// parts are what clients want of tweets. What orders a list is read in any case.
var parts = []schema.Parts{schema.AllParts, schema.PartsOf("id"), schema.PartsOf("text", "references")}

func describe(r search.Request) string {
	text, err := json.Marshal(r, json.OmitZeroStructFields(true))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// change does to the store what may happen between two pages: new tweets,
// other counters, deletes, among them of the cursor's tweet, and tweets stored
// again, which gives them other internal numbers.
func (o *oracle) change(last *schema.Tweet) {
	o.changes++
	var stored []*schema.Tweet
	for range 1 + o.IntN(3) {
		stored = append(stored, o.make(1)...)
		changed := *o.any()
		changed.Metrics = o.metrics()
		stored = append(stored, o.put(&changed), o.any(), o.any())
	}
	gone := []string{o.any().ID}
	if o.IntN(3) == 0 {
		gone = append(gone, last.ID)
	}
	for _, id := range gone {
		o.remove(id)
		stored = slices.DeleteFunc(stored, func(t *schema.Tweet) bool { return t.ID == id })
		if err := o.client.Do(deadline(o.t), o.client.B().Del().Key(schema.TweetKey(id)).Build()).Error(); err != nil {
			o.t.Fatal(err)
		}
	}
	put(o.t, o.client, stored...)
}

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// open returns a client of a Redis with the index.
func open(t testing.TB) rueidis.Client {
	t.Helper()
	return openOn(t, stacktest.Start(t))
}

func openOn(t testing.TB, servers *stack.Stack) rueidis.Client {
	t.Helper()
	client := stacktest.Redis(t, servers)
	if _, err := index.Ensure(deadline(t), client, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if err := index.Await(deadline(t), client, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return client
}

func put(t testing.TB, client rueidis.Client, tweets ...*schema.Tweet) {
	t.Helper()
	var docs []schema.Document
	for _, tw := range tweets {
		docs = append(docs, schema.NewDocument(*tw, schema.Ranks{}))
	}
	putDocuments(t, client, docs)
}

// putRanked stores a tweet as observed at a rank.
func putRanked(t testing.TB, client rueidis.Client, tw *schema.Tweet, rank schema.Rank) {
	t.Helper()
	putDocuments(t, client, []schema.Document{schema.NewDocument(*tw, schema.Ranks{Top: rank})})
}

func putDocuments(t testing.TB, client rueidis.Client, docs []schema.Document) {
	t.Helper()
	var cmds rueidis.Commands
	for _, doc := range docs {
		doc.Own = true
		json, err := schema.Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, client.B().JsonSet().Key(doc.Key()).Path("$").Value(string(json)).Build())
	}
	for _, r := range client.DoMulti(deadline(t), cmds...) {
		if err := r.Error(); err != nil {
			t.Fatal(err)
		}
	}
}

func ids(p *search.Page) []string {
	out := make([]string, len(p.Tweets))
	for i, t := range p.Tweets {
		out[i] = t.ID
	}
	return out
}

// TestPageCorners asks for every combination of end, cursor and small sizes
// over a short list.
func TestPageCorners(t *testing.T) {
	client := open(t)
	store := search.New(client)
	w := newWorld(3, 12)
	w.put(w.tweet("77", nil))
	w.put(w.tweet("78", nil))
	put(t, client, shuffled(w)...)
	for _, descending := range []bool{true, false} {
		o := search.Order{Field: search.OrderCreatedAt, Descending: descending}
		var want []string
		for _, tw := range w.list(nil, o) {
			want = append(want, tw.ID)
		}
		all, err := store.Tweets(deadline(t), search.Request{Order: o, First: new(100), Want: search.Want{Tweets: schema.AllParts}})
		if err != nil {
			t.Fatal(err)
		}
		cursors := make([]string, len(all.Tweets))
		for i, tw := range all.Tweets {
			cursors[i] = all.Cursor(tw)
		}
		for n := range len(want) + 2 {
			for c := -1; c < len(want); c++ {
				for _, last := range []bool{false, true} {
					for _, before := range []bool{false, true} {
						if c < 0 && before {
							continue
						}
						corner(t, store, o, want, cursors, n, c, last, before)
					}
				}
			}
		}
	}
}

func corner(t *testing.T, store *search.Store, o search.Order, want, cursors []string, n, c int, last, before bool) {
	t.Helper()
	r := search.Request{Order: o, Want: search.Want{Tweets: schema.AllParts, HasNext: true, HasPrevious: true}}
	lo, hi := 0, len(want) // of the interval
	switch {
	case c >= 0 && before:
		r.Before, hi = &cursors[c], c
	case c >= 0:
		r.After, lo = &cursors[c], c+1
	}
	if last {
		r.Last = &n
		lo = max(lo, hi-n)
	} else {
		r.First = &n
		hi = min(hi, lo+n)
	}
	page, err := store.Tweets(deadline(t), r)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("n %d cursor %d last %v before %v order %v", n, c, last, before, o)
	if diff := cmp.Diff(want[lo:hi], ids(page)); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", name, diff)
	}
	if page.HasPrevious != (lo > 0) || page.HasNext != (hi < len(want)) {
		t.Fatalf("%s: hasPrevious %v want %v, hasNext %v want %v", name, page.HasPrevious, lo > 0, page.HasNext, hi < len(want))
	}
}
