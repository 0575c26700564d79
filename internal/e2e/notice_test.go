package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotices: what a notice asks for holds for tweets that came before it and
// for those that come after, and for hidden ones too.
func TestNotices(t *testing.T) {
	t.Parallel()
	const geo = `,"geo":{"coordinates":{"type":"Point","coordinates":[-4.2,50.1]},"place_id":"p1"}`
	tweets := []string{
		`{"id":"1001","text":"scrubbed","author_id":"7"` + geo + `}`,
		`{"id":"1002","text":"newer than the scrub","author_id":"7"` + geo + `}`,
		`{"id":"1003","text":"of another user","author_id":"8"` + geo + `}`,
		`{"data":{"id":"1004","text":"quotes","author_id":"8","referenced_tweets":[{"type":"quoted","id":"1000"}]},"includes":{"tweets":[{"id":"1000","text":"quoted","author_id":"7"` + geo + `}]}}`,
		`{"id":"1005","text":"withheld","author_id":"9"}`,
		`{"id":"1006","text":"of a withheld user","author_id":"10"}`,
		`{"id":"1007","text":"deleted","author_id":"10"}`,
	}
	notices := []string{
		`{"scrub_geo":{"user_id":7,"user_id_str":"7","up_to_status_id":1001,"up_to_status_id_str":"1001"}}`,
		`{"status_withheld":{"id":1005,"user_id":9,"withheld_in_countries":["DE","FR"]}}`,
		`{"user_withheld":{"id":10,"withheld_in_countries":["XX"]}}`,
		`{"delete":{"status":{"id":1007,"id_str":"1007","user_id":10,"user_id_str":"10"}}}`,
	}
	for name, lines := range map[string][]string{
		"tweets first":  slices.Concat(tweets, notices),
		"notices first": slices.Concat(notices, tweets),
		"between":       slices.Concat(tweets[:4], notices, tweets, notices),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "tweets.jsonl")
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			l := startLine(t, file)
			if diff := cmp.Diff([]string{"1006", "1005", "1004", "1003", "1002", "1001"}, l.ids()); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			for id, want := range map[string]bool{"1000": false, "1001": false, "1002": true, "1003": true} {
				if tw := l.tweet(id); tw == nil || (tw.Location != nil) != want || (tw.Place != nil) != want {
					t.Errorf("tweet %s has a point and a place: %+v, want %v", id, tw, want)
				}
			}
			for id, want := range map[string][]string{"1005": {"DE", "FR"}, "1006": {"XX"}} {
				if tw := l.tweet(id); tw == nil || tw.Withheld == nil || !slices.Equal(tw.Withheld.CountryCodes, want) {
					t.Errorf("tweet %s: %+v, want it withheld in %v", id, tw, want)
				}
			}
		})
	}
}
