package sim

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"visualizer/schema"
)

// ordinary is what 20,000 tweets of an ordinary world bring.
var ordinary = sync.OnceValue(func() []wire {
	var all []wire
	for _, line := range lines(NewWorld(11), 20_000) {
		var w wire
		if err := json.Unmarshal([]byte(line), &w); err != nil {
			continue // TestShapes is about that; here it will be missing
		}
		all = append(all, w)
	}
	return all
})

// census counts what they are made of.
type census struct {
	tweets int
	of     map[string]int
}

func takeCensus() census {
	c := census{of: map[string]int{}}
	seen := map[string]bool{}
	for _, w := range ordinary() {
		if !w.tweet() {
			c.of["delete"]++
			continue
		}
		if seen[w.Data.ID] {
			c.of["resend"]++
			continue
		}
		seen[w.Data.ID] = true
		c.tweets++
		c.add(&w)
	}
	return c
}

func (c *census) add(w *wire) {
	d := &w.Data.wireTweet
	c.of["lang:"+d.Lang]++
	for name, is := range map[string]bool{
		"edit": len(d.History) > 1, "point": d.Geo.Coordinates != nil, "place": d.Geo.PlaceID != "",
		"note": d.Note != nil, "source": d.Source != nil, "sensitive": *d.Sensitive, "errors": len(w.Errors) > 0,
		"media": len(d.Attachments.MediaKeys) > 0, "hashtag": len(d.Entities.Hashtags) > 0, "zwj": strings.ContainsRune(d.Text, 0x200d),
		"escape": strings.Contains(d.Text, "&amp;"), "cashtag": len(d.Entities.Cashtags) > 0, "link": len(d.Entities.URLs) > 0,
		"orphan": !slices.ContainsFunc(w.Includes.Users, func(u wireUser) bool { return u.ID == d.AuthorID }),
	} {
		if is {
			c.of[name]++
		}
	}
	for _, m := range d.Entities.Mentions {
		c.of["mention"]++
		if m.ID == "" {
			c.of["mention without id"]++
		}
	}
	if len(d.Refs) == 0 {
		c.of["original"]++
	}
	for _, r := range d.Refs {
		c.of[r.Type]++
	}
}

func TestShares(t *testing.T) {
	c := takeCensus()
	if c.tweets != 20_000 {
		t.Fatalf("%d tweets", c.tweets)
	}
	for _, want := range []struct {
		name     string
		low, top float64
	}{
		{"lang:en", .28, .34}, {"lang:ja", .16, .20}, {"lang:es", .065, .095}, {"lang:tr", .045, .075}, {"lang:pt", .04, .065},
		{"lang:th", .04, .065}, {"lang:ar", .03, .055}, {"lang:und", .02, .04}, {"lang:zxx", .02, .04}, {"lang:ko", .02, .04},
		{"retweeted", .32, .38}, {"replied_to", .15, .21}, {"quoted", .045, .07}, {"edit", .003, .007}, {"resend", .045, .055},
		{"delete", .007, .012}, {"point", .035, .055}, {"place", .05, .075}, {"note", .006, .015}, {"source", .5, .7},
		{"sensitive", .008, .03}, {"errors", .001, .02}, {"media", .08, .2}, {"hashtag", .2, .5}, {"zwj", .005, .1},
		{"escape", .01, .05}, {"cashtag", .002, .03}, {"link", .1, .5}, {"orphan", .0005, .01}, {"mention without id", .1, .5},
	} {
		if got := float64(c.of[want.name]) / float64(c.tweets); got < want.low || got > want.top {
			t.Errorf("%s: a share of %.4f, want %v to %v", want.name, got, want.low, want.top)
		}
	}
}

// Hashtags must be many and of very different weight, or a ranking of them
// would be a ranking of nothing.
func TestHashtagsAreZipf(t *testing.T) {
	count, spellings := map[string]int{}, map[string]map[string]bool{}
	for _, w := range ordinary() {
		for _, h := range w.Data.Entities.Hashtags {
			folded := schema.Fold(h.Tag)
			count[folded]++
			if spellings[folded] == nil {
				spellings[folded] = map[string]bool{}
			}
			spellings[folded][h.Tag] = true
		}
	}
	ranked := slices.Sorted(maps.Values(count))
	slices.Reverse(ranked)
	if len(ranked) < 400 || ranked[0] < 20*ranked[len(ranked)/2] {
		t.Errorf("%d hashtags, the first %d times, the middle one %d", len(ranked), ranked[0], ranked[len(ranked)/2])
	}
	varied := 0
	for _, s := range spellings {
		if len(s) > 1 {
			varied++
		}
	}
	if varied < 50 {
		t.Errorf("%d hashtags come in more than one spelling", varied)
	}
}

// A retweet shows the beginning of the original, and counts its retweets and
// nothing else.
func TestRetweets(t *testing.T) {
	cut, counted := 0, map[string]int64{}
	for _, line := range lines(NewWorldWith(13, small()), 5000) {
		w := parse(t, line)
		d := &w.Data.wireTweet
		if len(d.Refs) == 0 || d.Refs[0].Type != "retweeted" {
			continue
		}
		if !strings.HasPrefix(d.Text, "RT @") || d.Metrics.Likes != 0 {
			t.Fatalf("retweet %s", line)
		}
		if n := utf8.RuneCountInString(d.Text); n > retweetLen {
			t.Fatalf("%d code points in %q", n, d.Text)
		}
		if len(w.Includes.Tweets) == 0 {
			continue // the original is gone
		}
		of := w.Includes.Tweets[0]
		if n := of.Metrics.Retweets; n <= counted[of.ID] {
			t.Fatalf("%s has %d retweets after %d and one more", of.ID, n, counted[of.ID])
		}
		counted[of.ID] = of.Metrics.Retweets
		_, shown, _ := strings.Cut(d.Text, ": ")
		beginning, more := strings.CutSuffix(shown, "…")
		if !strings.HasPrefix(of.Text, beginning) || of.ID != d.Refs[0].ID || of.Metrics.Retweets != d.Metrics.Retweets {
			t.Fatalf("retweet %q (%d) of %q (%d)", d.Text, d.Metrics.Retweets, of.Text, of.Metrics.Retweets)
		}
		if more && len(beginning) < len(of.Text) {
			cut++
		}
	}
	if cut == 0 {
		t.Error("no retweet is cut")
	}
}

func TestCutKeepsEscapesWhole(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"ab&amp;cd", 9, "ab&amp;cd"},
		{"ab&amp;cd", 8, "ab&amp;…"},
		{"ab&amp;cd", 7, "ab…"},
		{"ab&amp;cd", 4, "ab…"},
		{"ab&amp;cd", 3, "ab…"},
		{"🌊🌊🌊", 2, "🌊…"},
		{"&lt;&lt;3", 6, "&lt;…"},
	} {
		var from, got content
		from.add(c.text)
		got.cut(&from, c.limit)
		if string(got.text) != c.want || got.runes != utf8.RuneCountInString(c.want) {
			t.Errorf("cut %q to %d: %q (%d code points), want %q", c.text, c.limit, got.text, got.runes, c.want)
		}
	}
}

// Metrics and profiles only grow, and the tweets come again with more.
func TestMetricsGrow(t *testing.T) {
	last, tweets := map[string]wireMetrics{}, map[string]int64{}
	grown := 0
	for _, line := range lines(NewWorldWith(14, small()), 5000) {
		w := parse(t, line)
		for _, d := range append(w.Includes.Tweets, w.Data.wireTweet) {
			if d.ID == "" {
				continue
			}
			old, m := last[d.ID], *d.Metrics
			if m.Likes < old.Likes || m.Retweets < old.Retweets || m.Replies < old.Replies || m.Quotes < old.Quotes ||
				m.Bookmarks < old.Bookmarks || m.Impressions < old.Impressions {
				t.Fatalf("%s: %+v after %+v", d.ID, m, old)
			}
			if old != m && old != (wireMetrics{}) {
				grown++
			}
			last[d.ID] = m
		}
		for _, u := range w.Includes.Users {
			if u.Metrics.Tweets < tweets[u.ID] {
				t.Fatalf("user %s: %d tweets after %d", u.ID, u.Metrics.Tweets, tweets[u.ID])
			}
			tweets[u.ID] = u.Metrics.Tweets
		}
	}
	if grown < 300 {
		t.Errorf("only %d tweets were told again with other metrics", grown)
	}
}

// A new version continues the history of one delivered before.
func TestEdits(t *testing.T) {
	o := small()
	o.Edit = 0.1
	histories := map[string][]string{}
	longest := 0
	for _, line := range lines(NewWorldWith(15, o), 4000) {
		w := parse(t, line)
		d := &w.Data.wireTweet
		if !w.tweet() {
			continue
		}
		histories[d.ID] = d.History
		longest = max(longest, len(d.History))
		if n := len(d.History); n > 1 && !slices.Equal(histories[d.History[n-2]], d.History[:n-1]) {
			t.Fatalf("history %v after %v", d.History, histories[d.History[n-2]])
		}
	}
	if longest < 3 || longest > maxVersions {
		t.Errorf("the longest chain has %d versions", longest)
	}
}

func TestZipf(t *testing.T) {
	z, r := newZipf(100, 1), NewWorldWith(1, small()).rng
	count := make([]float64, 100)
	const n = 200_000
	for range n {
		count[z.pick(r)]++
	}
	for _, k := range []int{0, 1, 9, 99} { // 5.187 is the sum of 1/1 … 1/100
		if want := n / 5.187 / float64(k+1); math.Abs(count[k]-want) > 6*math.Sqrt(want) {
			t.Errorf("rank %d: %v times, want about %.0f", k, count[k], want)
		}
	}
	seen := [2]int{} // where each number drawn lies on an edge
	for range 1000 {
		seen[zipf{1, 2}.pick(r)]++
	}
	if seen[0] < 400 || seen[1] < 400 {
		t.Errorf("two equal ranks: %v", seen)
	}
}
