package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"visualizer/internal/pinned"
)

// edit is a change of the SDL.
type edit struct{ name, old, new string }

func (e edit) apply(t *testing.T, sdl string) string {
	t.Helper()
	if strings.Count(sdl, e.old) != 1 {
		t.Fatalf("%s: the SDL doesn't hold this once: %s", e.name, e.old)
	}
	return strings.Replace(sdl, e.old, e.new, 1)
}

// write writes a file of SDL.
func write(t *testing.T, name, sdl string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name+".graphqls")
	if err := os.WriteFile(file, []byte(sdl), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// judge runs a program of testdata/sdl on files and returns the lines that it
// prints, by file.
func judge(t *testing.T, program string, files ...string) map[string][]string {
	t.Helper()
	lines := map[string][]string{}
	for line := range strings.Lines(pinned.Node(t, "testdata/sdl", append([]string{program}, files...)...)) {
		for _, file := range files {
			name := filepath.Base(file)
			if said, of := strings.CutPrefix(line, name); of {
				name = strings.TrimSuffix(name, ".graphqls")
				lines[name] = append(lines[name], strings.TrimSpace(said))
			}
		}
	}
	return lines
}

// here returns the full name of a file of this folder.
func here(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHabits: the SDL keeps graphql-eslint's recommended and Relay rules, with
// the exceptions of testdata/sdl/lint.js.
func TestHabits(t *testing.T) {
	for _, line := range judge(t, "lint.js", here(t, "schema.graphqls"))["schema"] {
		t.Errorf("schema.graphqls%s", line)
	}
}

// TestBadHabits: what is against a rule is noticed.
func TestBadHabits(t *testing.T) {
	sdl := SDL
	bad := []edit{
		{`require-description: Description is required for field "cashtags"`, "  \"Cashtags of the tweet itself, without $.\"\n", ""},
		{`require-description: Description is required for input value "id"`, "  tweet(\"The tweet's id.\" id: ID!)", "  tweet(id: ID!)"},
		{`require-description: Description is required for enum value "RETWEET"`, "  \"It repeats a tweet.\"\n", ""},
		{"relay-connection-types", "  edges: [TweetEdge!]!\n", "  edges: TweetEdge!\n"},
		{"relay-edge-types", "  cursor: String!\n", "  cursor: TweetType!\n"},
		{"relay-page-info", "  startCursor: String\n", "  startCursor: String!\n"},
		{"relay-arguments", "    after: String\n", "    behind: String\n"},
		{"naming-convention", "\n  createdAtDerived: ", "\n  created_at_derived: "},
		{"strict-id-in-types", "type Place {\n  \"The id X gave it.\"\n  id: ID!", "type Place {\n  \"The id X gave it.\"\n  number: ID!"},
		{"no-unreachable-types", "  matchingRules: [MatchingRule!]!\n", "  matchingRules: [String!]!\n"},
	}
	for _, e := range bad {
		sdl = e.apply(t, sdl)
	}
	lines := strings.Join(judge(t, "lint.js", write(t, "bad", sdl))["bad"], "\n")
	for _, e := range bad {
		if !strings.Contains(lines, "@graphql-eslint/"+e.name) {
			t.Errorf("%s is not noticed, only\n%s", e.name, lines)
		}
	}
}

// TestReleased: what clients of the released SDL may rely on is still there.
// What may surprise them is logged.
func TestReleased(t *testing.T) {
	for _, change := range judge(t, "breaking.js", here(t, "released.graphql"), here(t, "schema.graphqls"))["schema"] {
		if strings.HasPrefix(change, "breaking") {
			t.Errorf("against schema/released.graphql: %s", change)
		} else {
			t.Logf("against schema/released.graphql: %s", change)
		}
	}
}

// TestBreakingChanges: what would break a client is told from what would not.
func TestBreakingChanges(t *testing.T) {
	changes := []struct {
		edit
		want string
	}{
		{edit{"field removed", "  \"The app it was sent with.\"\n  source: String\n", ""}, "breaking FIELD_REMOVED"},
		{edit{"root field removed", "  stream: StreamStatus\n", "  line: StreamStatus\n"}, "breaking FIELD_REMOVED"},
		{edit{"argument required", "    first: Int\n", "    first: Int!\n"}, "breaking ARG_CHANGED_KIND"},
		{edit{"argument removed", "    \"Skip this many tweets, 0 to 10000. With first only. What arrives meanwhile shifts such a page; a cursor is not shifted.\"\n    offset: Int\n", ""}, "breaking ARG_REMOVED"},
		{edit{"required argument added", "  tweet(\"The tweet's id.\" id: ID!)", "  tweet(\"The tweet's id.\" id: ID!, \"New.\" new: Int!)"}, "breaking REQUIRED_ARG_ADDED"},
		{edit{"type changed", "  hasNextPage: Boolean!\n", "  hasNextPage: Int!\n"}, "breaking FIELD_CHANGED_KIND"},
		{edit{"became nullable", "  hasNextPage: Boolean!\n", "  hasNextPage: Boolean\n"}, "breaking FIELD_CHANGED_KIND"},
		{edit{"enum value removed", "  \"How often it was seen.\"\n  IMPRESSIONS\n", ""}, "breaking VALUE_REMOVED_FROM_ENUM"},
		{edit{"input field required", "  minLikes: Long\n", "  minLikes: Long!\n"}, "breaking FIELD_CHANGED_KIND"},
		{edit{"input field removed", "  \"At least so many quotes.\"\n  minQuotes: Long\n", ""}, "breaking FIELD_REMOVED"},
		{edit{"interface removed", "type Tweet implements Node {", "type Tweet {"}, "breaking IMPLEMENTED_INTERFACE_REMOVED"},
		{edit{"enum value added", "  IMPRESSIONS\n", "  IMPRESSIONS\n  \"New.\"\n  NEW\n"}, "dangerous VALUE_ADDED_TO_ENUM"},
		{edit{"default changed", "= {field: CREATED_AT, direction: DESC}", "= {field: CREATED_AT, direction: ASC}"}, "dangerous ARG_DEFAULT_VALUE_CHANGE"},
		{edit{"field added", "type PageInfo {\n", "type PageInfo {\n  \"New.\"\n  new: Int\n"}, ""},
		{edit{"never null any more", "  startCursor: String\n", "  startCursor: String!\n"}, ""},
		{edit{"description changed", "\"A direction.\"", "\"New.\""}, ""},
	}
	files := []string{here(t, "schema.graphqls")}
	for _, c := range changes {
		files = append(files, write(t, c.name, c.apply(t, SDL)))
	}
	lines := judge(t, "breaking.js", files...)
	for _, c := range changes {
		if got := strings.Join(lines[c.name], "\n"); !strings.HasPrefix(got, c.want) || got != "" && c.want == "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
