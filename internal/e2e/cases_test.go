package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// casesDir holds files of every format with their outcomes.
const casesDir = "../../ingest/source/testdata/cases"

// expectation is an entry of expected.json.
type expectation struct {
	Stored      []string
	StoredCount *int `json:"stored_count"`
	Referenced  []string
	Rejected    map[string]int64
	Control     int64
	Blank       int64
	Repaired    []string
	Assert      map[string]map[string]any
}

// TestCases reads each case file into an empty store and compares all that
// GraphQL tells with what must come out.
func TestCases(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(casesDir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]expectation
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	for _, name := range caseFiles(t) {
		want, ok := expected[name]
		if !ok {
			t.Errorf("%s has no expectation", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			l := start(t, settings(data, filepath.Join(casesDir, name)))
			s := l.finished()
			want.check(l, s)
			if more := prose[name]; more != nil {
				more(l, s)
			}
			client := redisOf(t, data)
			defer client.Close()
			checkIndex(t, client)
		})
	}
}

// caseFiles are the files beside the expectations.
func caseFiles(t *testing.T) []string {
	entries, err := os.ReadDir(casesDir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "expected.json" {
			names = append(names, e.Name())
		}
	}
	return names
}

// prose is what the cases' table says beside expected.json.
var prose = map[string]func(*line, status){
	"01_v2_default_fields.jsonl": func(l *line, _ status) {
		got := ask[struct {
			Tweet struct {
				CreatedAtDerived bool
				Lang, Author     any
				Metrics          struct{ Likes any }
			}
		}](l, `{ tweet(id: "1635573202396643335") { createdAtDerived lang author { id } metrics { likes } } }`, nil).Tweet
		if !got.CreatedAtDerived || got.Lang != nil || got.Author != nil || got.Metrics.Likes != nil {
			l.t.Errorf("what is absent must be null: %+v", got)
		}
	},
	"02_v2_all_fields.jsonl": func(l *line, _ status) {
		got := ask[struct {
			Tweet struct {
				Place struct {
					FullName, CountryCode string
					BBox                  []float64
				}
				Media []struct{ Type, AltText string }
				URLs  []struct{ ExpandedURL, Title string }
			}
		}](l, `{ tweet(id: "1635573202396643335") { place { fullName countryCode bbox } media { type altText } urls { expandedUrl title } } }`, nil).Tweet
		if got.Place.FullName != "Port Quillon, Invented" || !slices.Equal(got.Place.BBox, []float64{-4.3, 50, -4.1, 50.2}) ||
			len(got.Media) != 1 || got.Media[0].AltText != "kelp" || len(got.URLs) != 1 || got.URLs[0].Title != "Tides" {
			l.t.Errorf("place, media or link is not as delivered: %+v", got)
		}
	},
	"14_duplicates.jsonl": func(l *line, s status) {
		if s.Duplicates != 2 || s.Updated != 0 || s.Received != 4 {
			l.t.Errorf("4 lines of 2 tweets are counted as %+v", s)
		}
	},
	"38_html_escapes.jsonl": func(l *line, _ status) {
		got := ask[struct{ Tweet struct{ Text string } }](l, `{ tweet(id: "1635573202396643335") { text } }`, nil).Tweet.Text
		if got != `salt & vinegar <3 chips > crisps #Chips &amp; "quotes"` {
			l.t.Errorf("the text is decoded to %q", got)
		}
	},
	"41_v11_stream_extended_tweet.jsonl": func(l *line, _ status) {
		for id, want := range map[string]bool{"1635573202396643335": false, "1635573206590947336": true} {
			if got := ask[struct{ Tweet struct{ Truncated bool } }](l, `query($id: ID!) { tweet(id: $id) { truncated } }`, map[string]any{"id": id}).Tweet.Truncated; got != want {
				l.t.Errorf("tweet %s is truncated: %v, want %v", id, got, want)
			}
		}
	},
	"44_v11_control_messages.jsonl": func(l *line, s status) {
		got := map[string]int64{}
		for _, c := range s.Control {
			got[c.Type] = c.Count
		}
		want := map[string]int64{"delete": 3, "limit": 1, "scrub_geo": 1, "status_withheld": 1, "user_withheld": 1, "disconnect": 1, "warning": 1, "event": 1, "friends": 1}
		if diff := cmp.Diff(want, got); diff != "" {
			l.t.Errorf("control (-want +got):\n%s", diff)
		}
	},
}

func (want expectation) check(l *line, s status) {
	t := l.t
	t.Helper()
	ids := l.ids()
	if want.StoredCount != nil {
		if len(ids) != *want.StoredCount {
			t.Errorf("tweets finds %d, want %d", len(ids), *want.StoredCount)
		}
	} else {
		found := slices.Sorted(slices.Values(ids))
		if diff := cmp.Diff(slices.Sorted(slices.Values(want.Stored)), found); diff != "" && (len(found) > 0 || len(want.Stored) > 0) {
			t.Errorf("tweets finds (-want +got):\n%s", diff)
		}
	}
	if int(s.Stored) != len(ids) {
		t.Errorf("stream counts %d stored, tweets finds %d", s.Stored, len(ids))
	}
	if diff := cmp.Diff(want.Rejected, s.rejected()); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	if s.control() != want.Control || s.Blank != want.Blank || int(s.Repaired) != len(want.Repaired) {
		t.Errorf("control %d, blank %d, repaired %d, want %d, %d, %d", s.control(), s.Blank, s.Repaired, want.Control, want.Blank, len(want.Repaired))
	}
	for _, id := range want.Referenced {
		if l.tweet(id) == nil || slices.Contains(ids, id) {
			t.Errorf("referenced tweet %s must be readable by id and not be found", id)
		}
	}
	for _, id := range ids {
		if got := l.tweet(id); got == nil || got.Repaired != slices.Contains(want.Repaired, id) {
			t.Errorf("tweet %s is repaired: %+v", id, got)
		}
	}
	for id, fields := range want.Assert {
		l.assert(id, fields)
	}
}

// tweet is what a case may say something of.
type tweet struct {
	ID, RawText string
	CreatedAt   *string
	Lang        *string
	Author      *struct {
		ID             string
		Username       *string
		FollowersCount *int64
	}
	Hashtags     []string
	Mentions     []struct{ Username *string }
	Metrics      struct{ Likes, Retweets, Impressions *int64 }
	Location     *struct{ Latitude, Longitude float64 }
	Place        *struct{ ID string }
	References   []reference
	Withheld     *struct{ CountryCodes []string }
	SupersededBy *string
	Repaired     bool

	MatchingRules []struct{ ID string }
}

type reference struct {
	Type, ID string
	Tweet    *struct{ RawText string }
}

func (l *line) tweet(id string) *tweet {
	l.t.Helper()
	return ask[struct{ Tweet *tweet }](l, `query($id: ID!) { tweet(id: $id) { id rawText createdAt lang author { id username followersCount }
		hashtags mentions { username } metrics { likes retweets impressions } location { latitude longitude } place { id }
		references { type id tweet { rawText } } withheld { countryCodes } supersededBy repaired matchingRules { id } } }`,
		map[string]any{"id": id}).Tweet
}

// assert compares the named fields, in the words of expected.json.
func (l *line) assert(id string, fields map[string]any) {
	l.t.Helper()
	tw := l.tweet(id)
	if tw == nil {
		l.t.Errorf("tweet %s is not there", id)
		return
	}
	for name, want := range fields {
		got, known := tw.field(name)
		switch {
		case name == "hashtags_folded":
			for _, tag := range want.([]any) {
				l.assertHashtag(id, tag.(string))
			}
		case !known:
			l.t.Errorf("the case asks for %s, which this test doesn't know", name)
		default:
			if diff := cmp.Diff(plain(l.t, want), plain(l.t, got)); diff != "" {
				l.t.Errorf("tweet %s: %s (-want +got):\n%s", id, name, diff)
			}
		}
	}
}

// assertHashtag checks that the filter finds a tweet by a folded hashtag.
func (l *line) assertHashtag(id, tag string) {
	l.t.Helper()
	found := ask[struct {
		Tweets struct{ Nodes []struct{ ID string } }
	}](l,
		`query($tag: String!, $id: ID!) { tweets(filter: {hashtags: [$tag], ids: [$id]}) { nodes { id } } }`, map[string]any{"tag": tag, "id": id})
	if len(found.Tweets.Nodes) != 1 {
		l.t.Errorf("tweet %s is not found by hashtag %q", id, tag)
	}
}

// plain is a value as JSON has it, so that numbers and lists compare.
func plain(t *testing.T, v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// referenceNames are the cases' words for types of references.
var referenceNames = map[string]string{"RETWEETED": "retweeted", "QUOTED": "quoted", "REPLIED_TO": "replied_to"}

// field returns a field under its name in expected.json.
func (tw *tweet) field(name string) (value any, known bool) {
	switch name {
	case "text":
		return tw.RawText, true
	case "text_len":
		return utf8.RuneCountInString(tw.RawText), true
	case "hashtags":
		return tw.Hashtags, true
	case "mentions":
		names := []*string{}
		for _, m := range tw.Mentions {
			names = append(names, m.Username)
		}
		return names, true
	case "lonlat":
		if tw.Location == nil {
			return nil, true
		}
		return []float64{tw.Location.Longitude, tw.Location.Latitude}, true
	case "place_id":
		if tw.Place == nil {
			return nil, true
		}
		return tw.Place.ID, true
	case "like_count":
		return tw.Metrics.Likes, true
	case "retweet_count":
		return tw.Metrics.Retweets, true
	case "impression_count":
		return tw.Metrics.Impressions, true
	case "author_id", "author_username", "author_followers":
		return tw.authorField(name), true
	case "ref":
		refs := [][]string{}
		for _, r := range tw.References {
			refs = append(refs, []string{referenceNames[r.Type], r.ID})
		}
		return refs, true
	case "retweet_full_text":
		for _, r := range tw.References {
			if r.Type == "RETWEETED" && r.Tweet != nil {
				return r.Tweet.RawText, true
			}
		}
		return nil, true
	case "rule_ids":
		ids := []string{}
		for _, r := range tw.MatchingRules {
			ids = append(ids, r.ID)
		}
		return ids, true
	case "lang":
		return tw.Lang, true
	case "withheld":
		if tw.Withheld == nil {
			return nil, true
		}
		return tw.Withheld.CountryCodes, true
	case "created_second":
		if tw.CreatedAt == nil {
			return nil, true
		}
		return (*tw.CreatedAt)[:len("2006-01-02T15:04:05")], true
	case "latest_of_chain":
		return tw.SupersededBy, true
	}
	return nil, false
}

func (tw *tweet) authorField(name string) any {
	if tw.Author == nil {
		return nil
	}
	switch name {
	case "author_id":
		return tw.Author.ID
	case "author_username":
		return tw.Author.Username
	}
	return tw.Author.FollowersCount
}
