package search_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"visualizer/query/search"
	"visualizer/schema"
)

// world makes tweets in which every trap of a query is common: clumps in one
// millisecond, equal createdAt with ids made all over the second, ids of other
// lengths, no date, ties of a thousand, counters that are 0, unknown or
// enormous, words of many scripts, points at the poles and at 180°, strings
// that look like syntax.
type world struct {
	*rand.Rand
	tweets map[string]*search.Candidate
	byID   map[string]*schema.Tweet
	ids    []string // of all that were ever made, in the order they were made
}

const worldStart = schema.Time(1_678_785_000_000)

func newWorld(seed uint64, n int) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), tweets: map[string]*search.Candidate{}, byID: map[string]*schema.Tweet{}}
	for len(w.byID) < n {
		w.make(n - len(w.byID))
	}
	return w
}

// make adds at least one tweet, and at most room.
func (w *world) make(room int) []*schema.Tweet {
	at := worldStart + schema.Time(w.IntN(600_000))
	k := w.IntN(1000)
	switch {
	case k < 2 && room >= 1000: // ties of a thousand, in every order
		var made []*schema.Tweet
		author, metrics := w.author(), w.metrics()
		metrics.Likes = new(int64(0))
		for i := range 1000 {
			t := w.tweet(schema.Snowflake(at, uint32(i)), &at)
			t.Author, t.Metrics = author, metrics
			made = append(made, w.put(t))
		}
		return made
	case k < 300: // as X delivers it: cut to the second
		return w.one(schema.Snowflake(at, w.Uint32N(1<<12)), at/1000*1000)
	case k < 330:
		return w.one(fmt.Sprint(1+w.IntN(99_999_999_999)), at) // before snowflakes
	case k < 350:
		return w.one(schema.Snowflake(at, w.Uint32N(1<<22)), (schema.MinTime+schema.Time(w.Int64N(int64(schema.MaxTime-schema.MinTime))))/1000*1000)
	case k < 380:
		return []*schema.Tweet{w.put(w.tweet(fmt.Sprint(1+w.IntN(99_999_999_999)), nil))}
	}
	return w.one(schema.Snowflake(at, w.Uint32N(1<<22)), at)
}

func (w *world) one(id string, at schema.Time) []*schema.Tweet {
	return []*schema.Tweet{w.put(w.tweet(id, &at))}
}

// put makes t the tweet of its id.
func (w *world) put(t *schema.Tweet) *schema.Tweet {
	if w.byID[t.ID] == nil {
		w.ids = append(w.ids, t.ID)
	}
	w.byID[t.ID] = t
	w.tweets[t.ID] = search.NewCandidate(t)
	return t
}

// share returns how many of the tweets there are of a kind, 0 to 1.
func (w *world) share(is func(*schema.Tweet) bool) float64 {
	n := 0
	for _, t := range w.byID {
		if is(t) {
			n++
		}
	}
	return float64(n) / float64(len(w.byID))
}

func (w *world) remove(id string) {
	delete(w.byID, id)
	delete(w.tweets, id)
}

// any returns one of the tweets.
func (w *world) any() *schema.Tweet {
	for {
		if t := w.byID[w.ids[w.IntN(len(w.ids))]]; t != nil {
			return t
		}
	}
}

func (w *world) tweet(id string, at *schema.Time) *schema.Tweet {
	t := &schema.Tweet{ID: id, CreatedAt: at, Author: w.author(), Metrics: w.metrics()}
	t.RawText = w.text()
	t.Text = schema.DecodeText(t.RawText)
	if w.IntN(10) == 0 {
		t.OriginalText = schema.Opt(w.text())
	}
	for range w.IntN(4) {
		t.Hashtags = append(t.Hashtags, skewed(w, tags))
	}
	for range w.IntN(3) {
		t.Mentions = append(t.Mentions, schema.Mention{Username: schema.Opt(skewed(w, usernames))})
	}
	t.Lang = schema.Opt(w.maybe(skewed(w, langs)))
	t.Source = schema.Opt(w.maybe(skewed(w, sources)))
	t.ConversationID = schema.Opt(w.maybe(skewed(w, conversations)))
	w.refer(t)
	w.attach(t)
	w.locate(t)
	return t
}

func (w *world) author() *schema.User {
	if w.IntN(20) == 0 {
		return nil
	}
	n := w.IntN(40)
	u := &schema.User{ID: fmt.Sprint(9_900_000_000 + n)}
	if w.IntN(10) > 0 {
		u.Username = schema.Opt(usernames[n%len(usernames)])
	}
	return u
}

func (w *world) metrics() schema.Metrics {
	return schema.Metrics{Likes: w.counter(), Retweets: w.counter(), Replies: w.counter(), Quotes: w.counter(), Impressions: w.counter()}
}

// counter is 0 in six of ten cases and unknown in one.
func (w *world) counter() *int64 {
	switch k := w.IntN(100); {
	case k < 60:
		return new(int64(0))
	case k < 70:
		return nil
	case k < 72:
		return new(skewed(w, enormous))
	case k < 75:
		return new(w.Int64() >> w.IntN(63))
	}
	return new(int64(min(w.IntN(300), w.IntN(300))))
}

func (w *world) text() string {
	var parts []string
	for range w.IntN(8) {
		parts = append(parts, skewed(w, texts))
	}
	return strings.Join(parts, skewed(w, []string{" ", " ", ", ", "\n", "-", ""}))
}

func (w *world) refer(t *schema.Tweet) {
	for _, kind := range []schema.ReferenceType{schema.Retweeted, schema.Quoted, schema.RepliedTo} {
		if w.IntN(5) == 0 {
			t.References = append(t.References, schema.Reference{Type: kind, ID: fmt.Sprint(1 + w.IntN(1000))})
		}
	}
	if w.IntN(20) == 0 {
		t.InReplyToUserID = "77"
	}
}

func (w *world) attach(t *schema.Tweet) {
	if w.IntN(6) == 0 {
		t.Media = append(t.Media, schema.Media{Key: "3_1"})
	}
	for range w.IntN(3) {
		u := schema.URL{URL: "https://t.co/x", ExpandedURL: schema.Opt(skewed(w, links))}
		if w.IntN(4) == 0 {
			u.MediaKey = "3_1"
		}
		t.URLs = append(t.URLs, u)
	}
	if w.IntN(3) == 0 {
		t.Place = &schema.Place{ID: "p", CountryCode: schema.Opt(w.maybe(skewed(w, countries)))}
	}
}

func (w *world) locate(t *schema.Tweet) {
	if w.IntN(3) == 0 {
		p := w.point()
		t.Location = schema.NewLocation(p.Latitude, p.Longitude)
	}
}

// point is often at a pole, at 180°, or at one of a few cities.
func (w *world) point() schema.Location {
	anywhere := schema.Location{Latitude: (w.Float64()*2 - 1) * schema.MaxLatitude, Longitude: w.Float64()*360 - 180}
	switch w.IntN(5) {
	case 0:
		anywhere.Latitude = skewed(w, []float64{schema.MaxLatitude, -schema.MaxLatitude, 85.05, -85.05, 84.9})
	case 1:
		anywhere.Longitude = skewed(w, []float64{180, -180, 179.9999, -179.9999, 179.5, -179.5})
	case 2, 3:
		c := skewed(w, cities)
		return schema.Location{Latitude: c.Latitude + w.NormFloat64()*0.05, Longitude: c.Longitude + w.NormFloat64()*0.05}
	}
	return anywhere
}

func (w *world) maybe(s string) string {
	if w.IntN(10) == 0 {
		return ""
	}
	return s
}

// skewed picks from a list, the first ones more often.
func skewed[T any](w *world, from []T) T {
	n := len(from)
	return from[min(w.IntN(n), w.IntN(n))]
}

var (
	usernames = []string{"mira_vantroy", "Mira", "mira", "_", "__x__", "O_Bell", "mira_vantroy_2", "mira_vantroy_1", "MIRA_VANT", "mira_vant", "ñandú", "Ünal", "a|b", "x} @lang:{en", "*", "$p0", "日本", "null", "mira\\", "mira ", "mira\\b"}
	tags      = []string{"Kelp", "kelp", "KELP", "tide", "café", "Café", "ñandú", "ウィ・フィ", "a|b", "a,b", "a", "b", "{x}", "*", "-", "\\", "a\\|b", "$p1", "@y", "\"q\"", "covid-19", "(p)", "~", "%", " lead", "lead", "İstanbul", "ß", "SS"}
	langs     = []string{"en", "ja", "und", "EN", "zxx", "in", "pt-BR", "ar"}
	sources   = []string{"Twitter for iPhone", "Twitter Web App", "x\\", "a|b", "*", "twitter for iphone"}
	links     = []string{"https://example.com/a?b=c#d", "http://www.Example.com", "https://news.example.com:8443/x", "https://bücher.example/ü", "https://xn--bcher-kva.example/", "ftp://user:pw@files.example./", "not a link", "https://[::1]/", "bit.ly/3x", ""}
	countries = []string{"DE", "de", "US", "JP", "X|Y", "*"}
	texts     = []string{"the", "kelp", "Kelp", "forest", "OR", "or", "café", "cafe\u0301", "don't", "state-of-the-art", "AT&amp;T", "C++", "#GoLang", "@nasa", "me@example.com", "https://t.co/AbC-9", "$TSLA", "50%", "3.14", "foo_bar", "foo|bar", "back\\slash", "\"half quote", "(hello", "~maybe", "w'x'", "🔥", "🔥🔥", "👩\u200d👩\u200d👧", "🇧🇷", "我爱北京天安门", "日本語のテスト", "مرحبا، بالعالم", "Привет", "МИР", "ÑANDÚ", "ภาษาไทย", "ﬁne", "straße", "STRASSE", "İstanbul", "$p0", "@words:x", "=>{$slop:0}", "a", "b", "a b", "the is dogs", strings.Repeat("long", 20), "123", "9007199254740993", "universe", "university"}

	conversations = []string{"1", "2", "3", "1635573202396643335", "x|y", "*"}
	enormous      = []int64{1 << 46, 1<<46 - 1, 1 << 53, 1<<53 + 1, 1<<53 + 2, 1<<63 - 1, 3_000_000_000}
	cities        = []schema.Location{{Latitude: 48.8566, Longitude: 2.3522}, {Latitude: -16.5, Longitude: 179.98}, {Latitude: 85.04, Longitude: 40}, {Latitude: 0, Longitude: 0}}
)

// list is the plain scan: what the whole answer must be.
func (w *world) list(f *search.Filter, o search.Order) []*schema.Tweet {
	p, err := search.NewPredicate(f)
	if err != nil {
		panic(err)
	}
	var found []*schema.Tweet
	for id, c := range w.tweets {
		if p.Match(c) {
			found = append(found, w.byID[id])
		}
	}
	slices.SortFunc(found, func(a, b *schema.Tweet) int { return compare(a, b, o) })
	return found
}

// compare is the order of a list, by values and not by the keys of the index.
func compare(a, b *schema.Tweet, o search.Order) int {
	sign := 1
	if o.Descending {
		sign = -1
	}
	byID := sign * schema.CompareID(a.ID, b.ID)
	if o.Field == search.OrderUsername {
		return nullsLast(name(a), name(b), sign, strings.Compare, byID)
	}
	return nullsLast(number(a, o), number(b, o), sign, cmp.Compare[float64], byID)
}

func nullsLast[T any](a, b *T, sign int, compare func(T, T) int, tie int) int {
	switch {
	case a == nil && b == nil:
		return tie
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(sign*compare(*a, *b), tie)
}

func name(t *schema.Tweet) *string {
	if t.Author == nil || t.Author.Username == "" {
		return nil
	}
	return new(schema.Fold(string(t.Author.Username)))
}

func number(t *schema.Tweet, o search.Order) *float64 {
	n := map[search.OrderField]*int64{
		search.OrderCreatedAt: (*int64)(t.CreatedAt), search.OrderLikes: t.Metrics.Likes, search.OrderRetweets: t.Metrics.Retweets,
		search.OrderReplies: t.Metrics.Replies, search.OrderQuotes: t.Metrics.Quotes, search.OrderImpressions: t.Metrics.Impressions,
	}[o.Field]
	if n == nil {
		return nil
	}
	return new(float64(*n))
}
