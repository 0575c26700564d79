package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"visualizer/schema"
)

const casesDir = "testdata/cases"

// expectation is the outcome of one input file, as expected.json has it.
type expectation struct {
	Stored      []string                  `json:"stored"`
	StoredCount int                       `json:"stored_count"`
	Referenced  []string                  `json:"referenced"`
	Rejected    map[schema.Reason]int     `json:"rejected"`
	Control     int                       `json:"control"`
	Blank       int                       `json:"blank"`
	Repaired    []string                  `json:"repaired"`
	Assert      map[string]map[string]any `json:"assert"`
}

func expectations(t testing.TB) map[string]expectation {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(casesDir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]expectation
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// outcome is what a source delivered, with the tweets as an empty store would
// have them.
type outcome struct {
	stored, hidden map[string]*schema.Tweet
	rejected       map[schema.Reason]int
	control        map[string]int
	blank          int
	events         []schema.Event
	rejects        []*Rejected
	end            error // that ended the source
}

func newOutcome() *outcome {
	return &outcome{
		stored: map[string]*schema.Tweet{}, hidden: map[string]*schema.Tweet{},
		rejected: map[schema.Reason]int{}, control: map[string]int{},
	}
}

// collect reads a source to its end.
func collect(t testing.TB, s Source) *outcome {
	t.Helper()
	o := newOutcome()
	for e, err := range s.Events(context.Background()) {
		o.take(e, err)
	}
	if o.end != nil {
		t.Fatalf("%s ended: %v", s.Name(), o.end)
	}
	return o
}

// take notes what a source yields. It reports whether reading goes on.
func (o *outcome) take(e schema.Event, err error) bool {
	if r, ok := errors.AsType[*Rejected](err); ok {
		o.rejected[r.Reason]++
		o.rejects = append(o.rejects, r)
		return true
	}
	if o.end = err; err == nil {
		o.add(e)
	}
	return err == nil
}

func (o *outcome) add(e schema.Event) {
	o.events = append(o.events, e)
	if e.Control != "" {
		o.control[e.Control]++
	}
	switch e.Kind {
	case schema.KindTweet:
		if old := o.stored[e.Tweet.ID]; old == nil || !newer(old, e.Tweet) {
			o.stored[e.Tweet.ID] = e.Tweet
		}
	case schema.KindReferenced:
		o.hidden[e.Tweet.ID] = e.Tweet
	case schema.KindBlank:
		o.blank++
	}
}

// newer reports whether old was observed after t.
func newer(old, t *schema.Tweet) bool {
	return old.ObservedAt != nil && (t.ObservedAt == nil || *t.ObservedAt < *old.ObservedAt)
}

func TestCases(t *testing.T) {
	for name, want := range expectations(t) {
		t.Run(name, func(t *testing.T) {
			f, err := Open(filepath.Join(casesDir, name))
			if err != nil {
				t.Fatal(err)
			}
			got := collect(t, f)
			checkCounts(t, got, want)
			for id, fields := range want.Assert {
				for field, value := range fields {
					checkField(t, got, id, field, value)
				}
			}
			if f.Read() != f.Size() {
				t.Errorf("Read() = %d at the end, Size() = %d", f.Read(), f.Size())
			}
		})
	}
}

func checkCounts(t *testing.T, got *outcome, want expectation) {
	t.Helper()
	control, referenced, repaired := 0, []string{}, []string{}
	for _, n := range got.control {
		control += n
	}
	for id := range got.hidden {
		if got.stored[id] == nil {
			referenced = append(referenced, id)
		}
	}
	for id, tw := range got.stored {
		if tw.Repaired {
			repaired = append(repaired, id)
		}
	}
	same(t, "referenced", sorted(referenced), sorted(want.Referenced))
	same(t, "repaired", sorted(repaired), sorted(want.Repaired))
	same(t, "rejected", got.rejected, want.Rejected)
	same(t, "control", control, want.Control)
	same(t, "blank", got.blank, want.Blank)
	if want.StoredCount > 0 {
		same(t, "stored count", len(got.stored), want.StoredCount)
		return
	}
	same(t, "stored", sorted(ids(got.stored)), sorted(want.Stored))
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func ids(m map[string]*schema.Tweet) []string {
	out := []string{}
	for id := range m {
		out = append(out, id)
	}
	return out
}

func sorted(ss []string) []string { sort.Strings(ss); return ss }

// checkField compares one field of expected.json.
func checkField(t *testing.T, o *outcome, id, field string, want any) {
	t.Helper()
	tw := o.stored[id]
	if tw == nil {
		t.Errorf("%s is not stored", id)
		return
	}
	read, ok := assertable[field]
	if !ok {
		t.Fatalf("no reader for the field %q of expected.json", field)
	}
	same(t, id+" "+field, read(o, tw), want)
}

// assertable reads the fields of expected.json from a tweet, as JSON values.
var assertable = map[string]func(*outcome, *schema.Tweet) any{
	"text":             func(_ *outcome, t *schema.Tweet) any { return t.RawText },
	"text_len":         func(_ *outcome, t *schema.Tweet) any { return float64(utf8.RuneCountInString(t.RawText)) },
	"lang":             func(_ *outcome, t *schema.Tweet) any { return opt(t.Lang) },
	"hashtags":         func(_ *outcome, t *schema.Tweet) any { return anys(t.Hashtags) },
	"hashtags_folded":  func(_ *outcome, t *schema.Tweet) any { return anys(schema.FoldAll(slices.Clone(t.Hashtags))) },
	"like_count":       func(_ *outcome, t *schema.Tweet) any { return number(t.Metrics.Likes) },
	"retweet_count":    func(_ *outcome, t *schema.Tweet) any { return number(t.Metrics.Retweets) },
	"impression_count": func(_ *outcome, t *schema.Tweet) any { return number(t.Metrics.Impressions) },
	"created_second":   func(_ *outcome, t *schema.Tweet) any { return t.CreatedAt.Go().Format("2006-01-02T15:04:05") },
	"author_id":        func(_ *outcome, t *schema.Tweet) any { return opt(schema.Opt(author(t).ID)) },
	"author_username":  func(_ *outcome, t *schema.Tweet) any { return opt(author(t).Username) },
	"author_followers": func(_ *outcome, t *schema.Tweet) any { return number(author(t).FollowersCount) },
	"mentions": func(_ *outcome, t *schema.Tweet) any {
		out := []any{}
		for _, m := range t.Mentions {
			out = append(out, string(m.Username))
		}
		return out
	},
	"lonlat": func(_ *outcome, t *schema.Tweet) any {
		if t.Location == nil {
			return nil
		}
		return []any{t.Location.Longitude, t.Location.Latitude}
	},
	"place_id": func(_ *outcome, t *schema.Tweet) any { return t.Place.ID },
	"ref": func(_ *outcome, t *schema.Tweet) any {
		out := []any{}
		for _, r := range t.References {
			out = append(out, []any{strings.ToLower(string(r.Type)), r.ID})
		}
		return out
	},
	"retweet_full_text": func(o *outcome, t *schema.Tweet) any {
		if original := o.hidden[t.References[0].ID]; t.SearchText() == original.Text {
			return original.RawText
		}
		return t.SearchText()
	},
	"rule_ids": func(_ *outcome, t *schema.Tweet) any {
		out := []any{}
		for _, r := range t.MatchingRules {
			out = append(out, r.ID)
		}
		return out
	},
	"withheld": func(_ *outcome, t *schema.Tweet) any { return anys(t.Withheld.CountryCodes) },
}

func author(t *schema.Tweet) *schema.User {
	if t.Author == nil {
		return &schema.User{}
	}
	return t.Author
}

func opt(o schema.Opt) any {
	if o == "" {
		return nil
	}
	return string(o)
}

func number(n *int64) any {
	if n == nil {
		return nil
	}
	return float64(*n)
}

func anys(ss []string) []any {
	out := []any{}
	for _, s := range ss {
		out = append(out, s)
	}
	return out
}
