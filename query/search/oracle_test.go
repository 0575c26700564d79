package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/internal/stack/stacktest"
	"visualizer/query/search"
	"visualizer/schema"
)

// world makes tweets in which every trap of an order is common: clumps in one
// millisecond, equal createdAt with ids made all over the second, ids of other
// lengths, dates outside the usual, no date at all.
type world struct {
	*rand.Rand
	tweets []*schema.Tweet
	used   map[string]bool
}

const worldStart = schema.Time(1_678_785_000_000)

func newWorld(seed uint64, n int) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), used: map[string]bool{}}
	for len(w.tweets) < n {
		at := worldStart + schema.Time(w.IntN(600_000))
		switch k := w.IntN(100); {
		case k == 0 && len(w.tweets)+300 <= n:
			for i := range 300 {
				w.add(schema.Snowflake(at, uint32(i)), at)
			}
		case k < 30: // as X delivers it: cut to the second
			w.add(schema.Snowflake(at, w.Uint32N(1<<12)), at/1000*1000)
		case k < 33:
			w.add(fmt.Sprint(1+w.IntN(99_999_999_999)), at) // before snowflakes
		case k < 35:
			w.add(schema.Snowflake(at, w.Uint32N(1<<22)), schema.Time(w.Int64N(500_000_000_000_000)-250_000_000_000_000)/1000*1000)
		case k < 38:
			if t := w.addUndated(fmt.Sprint(1 + w.IntN(99_999_999_999))); t != nil {
				t.Hashtags = append(t.Hashtags, undated)
			}
		default:
			w.add(schema.Snowflake(at, w.Uint32N(1<<22)), at)
		}
	}
	return w
}

func (w *world) add(id string, at schema.Time) {
	if t := w.addUndated(id); t != nil {
		t.CreatedAt = &at
	}
}

func (w *world) addUndated(id string) *schema.Tweet {
	if w.used[id] {
		return nil
	}
	w.used[id] = true
	t := &schema.Tweet{ID: id, Text: "tweet " + id, RawText: "tweet " + id}
	if w.IntN(20) > 0 {
		n := w.IntN(40)
		t.Author = &schema.User{ID: fmt.Sprint(9_900_000_000 + n)}
		if w.IntN(10) > 0 {
			t.Author.Username = schema.Opt(usernames[n%len(usernames)])
		}
	}
	for range w.IntN(4) {
		t.Hashtags = append(t.Hashtags, tags[w.zipf(len(tags))])
	}
	if w.IntN(10) > 0 {
		t.Lang = schema.Opt(langs[w.zipf(len(langs))])
	}
	w.tweets = append(w.tweets, t)
	return t
}

// undated is the hashtag of all tweets without createdAt, and of no other.
const undated = "undated"

// zipf prefers small numbers.
func (w *world) zipf(n int) int { return min(w.IntN(n), w.IntN(n)) }

var (
	usernames = []string{"mira_vantroy", "Mira", "mira", "_", "__x__", "O_Bell", "ñandú", "Ünal", "a|b", "x} @lang:{en", "*", "$p0", "日本", "null"}
	tags      = []string{"Kelp", "kelp", "KELP", "tide", "café", "Café", "ñandú", "ウィ・フィ", "a|b", "a,b", "a", "b", "{x}", "*", "-", "\\", "a\\|b", "$p1", "@y", "\"q\"", "covid-19", "(p)", "~", "%", " lead", "lead", "İstanbul", "ß", "SS"}
	langs     = []string{"en", "ja", "und", "EN", "zxx", "in", "pt-BR", "ar"}
)

// filter picks a random filter; most parts come from the world, so that it
// matches something.
func (w *world) filter() *search.Filter {
	f := &search.Filter{}
	pick := func() *schema.Tweet { return w.tweets[w.IntN(len(w.tweets))] }
	if w.IntN(8) == 0 {
		for range 1 + w.IntN(60) {
			f.IDs = append(f.IDs, pick().ID)
		}
		f.IDs = append(f.IDs, "x", "0", "01", "99999999999999999999")
	}
	if w.IntN(6) == 0 {
		for range w.IntN(12) {
			f.AuthorIDs = append(f.AuthorIDs, fmt.Sprint(9_900_000_000+w.IntN(45)))
		}
		f.AuthorIDs = append(f.AuthorIDs, "nobody")
	}
	if w.IntN(6) == 0 {
		f.Usernames = w.some(usernames, "@")
	}
	if w.IntN(4) == 0 {
		f.Hashtags = w.some(tags, "#")
	}
	if w.IntN(6) == 0 {
		f.AllHashtags = w.some(tags[:8], "#")
		if w.IntN(4) == 0 {
			f.AllHashtags = []string{}
		}
	}
	if w.IntN(5) == 0 {
		f.Langs = w.some(langs, "")
	}
	if w.IntN(3) == 0 {
		f.Since = w.moment()
	}
	if w.IntN(3) == 0 {
		f.Until = w.moment()
	}
	if f.Since != nil && f.Until != nil && *f.Since > *f.Until {
		f.Since, f.Until = f.Until, f.Since
	}
	return f
}

func (w *world) some(from []string, sign string) []string {
	var out []string
	for range 1 + w.IntN(4) {
		v := from[w.IntN(len(from))]
		if w.IntN(3) == 0 {
			v = sign + v
		}
		out = append(out, v)
	}
	return out
}

// moment is often exactly that of a tweet, where inclusive and exclusive
// differ.
func (w *world) moment() *schema.Time {
	at := worldStart + schema.Time(w.IntN(600_000))
	if t := w.tweets[w.IntN(len(w.tweets))]; w.IntN(2) == 0 && t.CreatedAt != nil {
		at = *t.CreatedAt
	}
	return &at
}

// list is the plain scan: what the whole answer must be.
func (w *world) list(f *search.Filter, o search.Order) []string {
	var found []*schema.Tweet
	for _, t := range w.tweets {
		if f.Match(t) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *schema.Tweet) int { return compare(a, b, o) })
	ids := make([]string, len(found))
	for i, t := range found {
		ids[i] = t.ID
	}
	return ids
}

func compare(a, b *schema.Tweet, o search.Order) int {
	sign := 1
	if o.Descending {
		sign = -1
	}
	switch {
	case a.CreatedAt == nil && b.CreatedAt != nil:
		return 1
	case a.CreatedAt != nil && b.CreatedAt == nil:
		return -1
	case a.CreatedAt != nil && *a.CreatedAt < *b.CreatedAt:
		return -sign
	case a.CreatedAt != nil && *a.CreatedAt > *b.CreatedAt:
		return sign
	}
	return sign * schema.CompareID(a.ID, b.ID)
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// open returns a client of a Redis with the index.
func open(t *testing.T) rueidis.Client {
	t.Helper()
	client := stacktest.Redis(t, stacktest.Start(t))
	if _, err := index.Ensure(deadline(t), client, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if err := index.Await(deadline(t), client, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return client
}

func put(t *testing.T, client rueidis.Client, tweets ...*schema.Tweet) {
	t.Helper()
	var cmds rueidis.Commands
	for _, tw := range tweets {
		doc := schema.NewDocument(*tw, schema.Ranks{})
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

// TestOracle compares pages of random filters, walked in both directions, with
// a plain scan.
func TestOracle(t *testing.T) {
	client := open(t)
	store := search.New(client)
	w := newWorld(7, 3500)
	// Stored in no order, so that documents with equal keys are not by chance
	// in the order of their ids.
	w.Shuffle(len(w.tweets), func(i, j int) { w.tweets[i], w.tweets[j] = w.tweets[j], w.tweets[i] })
	put(t, client, w.tweets...)
	queries, pages, nonEmpty := 400, 0, 0
	for range queries {
		f := w.filter()
		o := search.Order{Field: search.OrderCreatedAt, Descending: w.IntN(2) == 0}
		want := w.list(f, o)
		size := 1 + w.IntN(search.MaxFirst)
		if len(want) > 500 && size < 20 {
			size += 20
		}
		if len(want) > 0 {
			nonEmpty++
		}
		pages += walk(t, store, f, o, want, size, w.IntN(2) == 0)
	}
	for _, backward := range []bool{false, true} {
		f := &search.Filter{Hashtags: []string{undated}}
		pages += walk(t, store, f, search.Newest, w.list(f, search.Newest), 7, backward)
	}
	if nonEmpty < queries/2 {
		t.Errorf("only %d of %d filters matched anything", nonEmpty, queries)
	}
	t.Logf("%d queries, %d matched, %d pages", queries, nonEmpty, pages)
}

// walk reads a whole list page by page and returns how many pages it had.
func walk(t *testing.T, store *search.Store, f *search.Filter, o search.Order, want []string, size int, backward bool) int {
	t.Helper()
	var cursor *string
	from, pages := 0, 0
	if backward {
		from = len(want)
	}
	for {
		r := search.Request{Filter: f, Order: o, Want: search.Want{Tweets: true, Total: pages == 0, HasNext: true, HasPrevious: true}}
		lo, hi := from, min(from+size, len(want))
		if backward {
			lo, hi = max(from-size, 0), from
			r.Last, r.Before = &size, cursor
		} else {
			r.First, r.After = &size, cursor
		}
		page, err := store.Tweets(deadline(t), r)
		if err != nil {
			t.Fatalf("filter %+v order %v: %v", f, o, err)
		}
		if diff := cmp.Diff(want[lo:hi], ids(page)); diff != "" {
			t.Fatalf("filter %+v order %v backward %v rows %d:%d of %d (-want +got):\n%s", f, o, backward, lo, hi, len(want), diff)
		}
		if page.HasPrevious != (lo > 0) || page.HasNext != (hi < len(want)) {
			t.Fatalf("filter %+v order %v backward %v rows %d:%d of %d: hasPrevious %v, hasNext %v", f, o, backward, lo, hi, len(want), page.HasPrevious, page.HasNext)
		}
		if r.Want.Total && page.Total != len(want) {
			t.Fatalf("filter %+v: total %d, want %d", f, page.Total, len(want))
		}
		pages++
		if len(page.Tweets) == 0 {
			return pages
		}
		if backward {
			c := page.Cursor(page.Tweets[0])
			cursor, from = &c, lo
		} else {
			c := page.Cursor(page.Tweets[len(page.Tweets)-1])
			cursor, from = &c, hi
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
	w.addUndated("77")
	w.addUndated("78")
	put(t, client, w.tweets...)
	for _, descending := range []bool{true, false} {
		o := search.Order{Field: search.OrderCreatedAt, Descending: descending}
		want := w.list(nil, o)
		all, err := store.Tweets(deadline(t), search.Request{Order: o, First: new(100), Want: search.Want{Tweets: true}})
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
	r := search.Request{Order: o, Want: search.Want{Tweets: true, HasNext: true, HasPrevious: true}}
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
