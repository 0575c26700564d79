package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLiterals holds what must be found under which spelling, and numbers that
// fit no 32 bits, as literals: the oracles fold and compare with the code that
// they test.
func TestLiterals(t *testing.T) {
	t.Parallel()
	lines := []string{
		`{"id":"1790000000000000001","text":"a","entities":{"hashtags":[{"tag":"GoLang"}]},"public_metrics":{"impression_count":3000000000}}`,
		`{"id":"1790000000000000002","text":"b","entities":{"hashtags":[{"tag":"golang"}]}}`,
		`{"id":"1790000000000000003","text":"c","entities":{"hashtags":[{"tag":"\uff47\uff4f\uff4c\uff41\uff4e\uff47"}]}}`,
		`{"id":"1790000000000000004","text":"d","entities":{"hashtags":[{"tag":"caf\u00e9"},{"tag":"\u00d1AND\u00da"}]}}`,
		`{"id":1790000000000000005,"text":"e","entities":{"hashtags":[{"tag":"cafe\u0301"}]}}`,
		`{"id":"1790000000000000006","text":"f","entities":{"hashtags":[{"tag":"dil"}]}}`,
		`{"id":"1790000000000000007","text":"g","entities":{"hashtags":[{"tag":"d\u0131l"}]}}`,
		`{"id":"1790000000000000008","text":"h","author":{"id":"5","username":"_"}}`,
		`{"id":"1790000000000000009","text":"i","author":{"id":"6","username":"__x__"}}`,
	}
	file := filepath.Join(t.TempDir(), "tweets.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	l := startLine(t, file)
	for filter, want := range map[string][]string{
		`hashtags: ["GOLANG"]`:            {"3", "2", "1"},
		`hashtags: ["CAFÉ"]`:              {"5", "4"},
		`hashtags: ["ñandú"]`:             {"4"},
		`hashtags: ["dil"]`:               {"6"},
		`hashtags: ["dıl"]`:               {"7"},
		`usernames: ["_"]`:                {"8"},
		`usernames: ["@__X__"]`:           {"9"},
		`ids: ["1790000000000000005"]`:    {"5"},
		`ids: ["1790000000000000010"]`:    {},
		`allHashtags: ["café", "#ñandÚ"]`: {"4"},
	} {
		got := []string{}
		for _, n := range ask[struct {
			Tweets struct{ Nodes []struct{ ID string } }
		}](l, `{ tweets(filter: {`+filter+`}) { nodes { id } } }`, nil).Tweets.Nodes {
			got = append(got, strings.TrimPrefix(n.ID, "179000000000000000"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", filter, got, want)
		}
	}
	if tw := l.tweet("1790000000000000001"); tw == nil || tw.Metrics.Impressions == nil || *tw.Metrics.Impressions != 3_000_000_000 {
		t.Errorf("3,000,000,000 impressions are shown as %+v", tw)
	}
}
