package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"visualizer/internal/cli"
	"visualizer/query/search"
	"visualizer/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestBenches runs all benches, each short and with few tweets, and reads the
// file: every question has its answer, and nothing was answered wrongly. The
// figures themselves mean nothing here.
func TestBenches(t *testing.T) {
	out := filepath.Join(t.TempDir(), "RESULTS.md")
	tiny := scale{small: 300, middle: 600, large: 1200, rounds: 2, loads: 1, each: 10 * time.Millisecond, mix: 10, stages: "200ms:2,300ms:2", planning: time.Second, filled: 400}
	cfg := &settings{Out: out, Log: cli.Log{LogLevel: "warn", LogFormat: "text"}}
	if err := measure(t.Context(), cfg, tiny); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	results := string(text)
	for _, want := range []string{
		"## go run ./bench search\n", "## go run ./bench k6\n", "commit ", "Redis 8", "RediSearch ", "RedisJSON ",
		"- 300 tweets loaded", "- 600 tweets loaded", "- 1,200 tweets loaded", "different requests",
		"| B1 | 600 tweets", "| B1 | 1,200 tweets", "| B2 | 600 tweets", "| B3 | ", "| B5 | ", "| ≥ 4 | m",
		"## go run ./bench edge\n", "| B7 | 600 tweets", "| ≤ 5 | m", "60 connections", "| B9 | 1,000 subscribers",
	} {
		if !strings.Contains(results, want) {
			t.Errorf("no %q in the results", want)
		}
	}
	for _, bad := range []string{"answers were right", "GraphQL: 0 answers", "FT.SEARCH: 0 answers", "commands: 0 answers"} {
		if strings.Contains(results, bad) {
			t.Errorf("%q in the results", bad)
		}
	}
	if t.Failed() {
		t.Log(results)
	}
}

// TestBadArguments are told before anything is measured.
func TestBadArguments(t *testing.T) {
	for _, c := range []struct {
		cfg  settings
		want string
	}{
		{settings{Bench: []string{"serach"}, Out: filepath.Join(t.TempDir(), "r.md")}, `no bench "serach": give one of search, cache, k6, edge, subscribers, ingest`},
		{settings{Out: filepath.Join(t.TempDir(), "none", "r.md")}, "give another --out"},
	} {
		if err := run(t.Context(), &c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("err %v; want %q", err, c.want)
		}
	}
}

// TestVariables: a filter goes out under the names of the API.
func TestVariables(t *testing.T) {
	at := schema.TimeOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	cursor := "c"
	got, err := variablesOf(search.Request{
		Filter: &search.Filter{IDs: []string{"1"}, AuthorIDs: []string{"2"}, AllHashtags: []string{}, Since: &at},
		Order:  search.Order{Field: search.OrderCreatedAt}, After: &cursor,
	})
	want := map[string]any{
		"first": 10, "after": &cursor,
		"orderBy": map[string]any{"field": search.OrderCreatedAt, "direction": "ASC"},
		"filter": map[string]any{
			"ids": []any{"1"}, "authorIds": []any{"2"}, "allHashtags": []any{}, "since": "2026-01-02T03:04:05.000Z",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("err %v, (-want +got):\n%s", err, diff)
	}
}
