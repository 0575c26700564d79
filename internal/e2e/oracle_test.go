package e2e

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"visualizer/ingest/sim"
	"visualizer/query/search"
	"visualizer/schema"
)

// model is what must be found: every tweet of the truth that a search may
// find, in its newest form.
type model struct {
	*rand.Rand
	tweets []*schema.Tweet
}

// makeFile writes a file of simulated tweets and adds what must come of it.
func (m *model) makeFile(t *testing.T, seed uint64, n, clump int, start time.Time) string {
	t.Helper()
	truth := &sim.Truth{}
	opts := sim.DefaultOptions()
	opts.Clump, opts.Emitted, opts.Edit, opts.Delete = clump, truth.Add, 0.02, 0.03
	path := filepath.Join(t.TempDir(), "tweets.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := sim.WriteFile(f, sim.NewWorldWith(seed, opts), n, start, 500); err != nil {
		t.Fatal(err)
	}
	for _, fate := range truth.All {
		if fate.Found() {
			fate.Own.Metrics = fate.Metrics
			m.tweets = append(m.tweets, fate.Own)
		}
	}
	return path
}

// TestOracle ingests simulated files, with clumps of 300 tweets in one
// millisecond, resends, edits and deletes among them, and walks random filters
// through GraphQL in both directions: every page must be that of a plain scan.
func TestOracle(t *testing.T) {
	t.Parallel()
	m := &model{Rand: rand.New(rand.NewPCG(11, 0))}
	start := time.Date(2023, 3, 14, 9, 26, 53, 0, time.UTC)
	files := []string{m.makeFile(t, 21, 1800, 0, start), m.makeFile(t, 22, 1800, 300, start.Add(time.Second))}
	l := startLine(t, files...)
	if s := l.status(); s.Deleted == 0 || s.Updated == 0 {
		t.Errorf("the files have no deletes or updates: %+v", s)
	}
	m.checkMetrics(l)
	for range 300 {
		f, input := m.filter()
		order := search.Order{Field: search.OrderCreatedAt, Descending: m.IntN(2) == 0}
		size := 30 + m.IntN(71)
		m.walk(l, f, input, order, size, false)
		m.walk(l, f, input, order, size, true)
	}
}

func startLine(t *testing.T, files ...string) *line { return startLineOn(t, t.TempDir(), files...) }

// startLineOn runs the line on a data folder until it has read the files.
func startLineOn(t *testing.T, data string, files ...string) *line {
	t.Helper()
	l := start(t, settings(data, files...))
	l.finished()
	return l
}

// checkMetrics compares the counters of some tweets.
func (m *model) checkMetrics(l *line) {
	for range 200 {
		want := m.any()
		got := l.tweet(want.ID)
		if got == nil || *got.Metrics.Likes != *want.Metrics.Likes || *got.Metrics.Retweets != *want.Metrics.Retweets {
			l.t.Errorf("tweet %s has %+v, want %+v", want.ID, got, want.Metrics)
		}
	}
}

func (m *model) any() *schema.Tweet { return m.tweets[m.IntN(len(m.tweets))] }

// filter returns a random filter, as a value and as GraphQL's input.
func (m *model) filter() (*search.Filter, map[string]any) {
	f, input := &search.Filter{}, map[string]any{}
	pick := func(name string, odds int, list *[]string, value func(*schema.Tweet) string) {
		if m.IntN(odds) > 0 {
			return
		}
		for range 1 + m.IntN(5) {
			if v := value(m.any()); v != "" {
				*list = append(*list, v)
			}
		}
		if *list != nil {
			input[name] = *list
		}
	}
	hashtag := func(t *schema.Tweet) string {
		if len(t.Hashtags) == 0 {
			return ""
		}
		return "#" + t.Hashtags[m.IntN(len(t.Hashtags))]
	}
	pick("ids", 8, &f.IDs, func(t *schema.Tweet) string { return t.ID })
	pick("authorIds", 5, &f.AuthorIDs, func(t *schema.Tweet) string { return t.Author.ID })
	pick("usernames", 6, &f.Usernames, func(t *schema.Tweet) string { return string(t.Author.Username) })
	pick("hashtags", 3, &f.Hashtags, hashtag)
	pick("allHashtags", 8, &f.AllHashtags, hashtag)
	pick("langs", 2, &f.Langs, func(t *schema.Tweet) string { return string(t.Lang) })
	if m.IntN(3) == 0 {
		f.Since = m.any().CreatedAt
		input["since"] = f.Since.String()
	}
	if m.IntN(3) == 0 {
		f.Until = m.any().CreatedAt
		input["until"] = f.Until.String()
	}
	if f.Since != nil && f.Until != nil && *f.Since > *f.Until {
		f.Since, f.Until = f.Until, f.Since
		input["since"], input["until"] = input["until"], input["since"]
	}
	return f, input
}

// scan is the whole list.
func (m *model) scan(f *search.Filter, o search.Order) []string {
	var found []*schema.Tweet
	for _, t := range m.tweets {
		if f.Match(t) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *schema.Tweet) int {
		c := int(*a.CreatedAt - *b.CreatedAt)
		if c == 0 {
			c = schema.CompareID(a.ID, b.ID)
		}
		if o.Descending {
			c = -c
		}
		return c
	})
	ids := make([]string, len(found))
	for i, t := range found {
		ids[i] = t.ID
	}
	return ids
}

const walkQuery = `query($filter: TweetFilter, $order: TweetOrder, $first: Int, $after: String, $last: Int, $before: String) {
	tweets(filter: $filter, orderBy: $order, first: $first, after: $after, last: $last, before: $before) {
		totalCount edges { node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
	}
}`

type walkPage struct {
	Tweets struct {
		TotalCount int
		Edges      []struct{ Node struct{ ID string } }
		PageInfo   struct {
			HasNextPage, HasPreviousPage bool
			StartCursor, EndCursor       *string
		}
	}
}

// walk reads the list page by page from one end to the other.
func (m *model) walk(l *line, f *search.Filter, input map[string]any, o search.Order, size int, backward bool) {
	l.t.Helper()
	want := m.scan(f, o)
	direction := map[bool]string{true: "DESC", false: "ASC"}[o.Descending]
	vars := map[string]any{"filter": input, "order": map[string]any{"field": "CREATED_AT", "direction": direction}}
	for lo, hi := 0, len(want); ; {
		from, to := lo, min(lo+size, len(want))
		vars["first"] = size
		if backward {
			from, to = max(hi-size, 0), hi
			delete(vars, "first")
			vars["last"] = size
		}
		p := ask[walkPage](l, walkQuery, vars).Tweets
		got := make([]string, len(p.Edges))
		for i, e := range p.Edges {
			got[i] = e.Node.ID
		}
		if diff := cmp.Diff(want[from:to], got); diff != "" {
			l.t.Fatalf("%v: rows %d:%d of %d (-want +got):\n%s", vars, from, to, len(want), diff)
		}
		if p.TotalCount != len(want) || p.PageInfo.HasPreviousPage != (from > 0) || p.PageInfo.HasNextPage != (to < len(want)) {
			l.t.Fatalf("%v: rows %d:%d of %d: %+v", vars, from, to, len(want), p)
		}
		if len(got) == 0 || backward && from == 0 || !backward && to == len(want) {
			return
		}
		lo, hi = to, from
		vars["after"] = p.PageInfo.EndCursor
		if backward {
			delete(vars, "after")
			vars["before"] = p.PageInfo.StartCursor
		}
	}
}
