package e2e

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"visualizer/internal/stack/stacktest"
)

// build returns a folder with the three commands.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir, "visualizer/cmd/...")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return dir
}

// command runs a command to its end and returns its exit code and what it
// said on stderr.
func command(t *testing.T, env []string, name string, args ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// TestBadCommandLines checks that each mistake is told in one line that says
// what to do, with the right exit code.
func TestBadCommandLines(t *testing.T) {
	t.Parallel()
	bin := build(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	used := t.TempDir()
	stacktest.Start(t, stacktest.Data(used))
	redis := stacktest.Start(t).RedisURL()
	notFolder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notFolder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const free = "127.0.0.1:0"
	for _, c := range []struct {
		name string
		env  string
		args []string
		code int
		want []string
	}{
		{"unknown flag", "", []string{"visualizer", "--sorce", "sim"}, 2, []string{"--sorce", "--source"}},
		{"unknown variable", "VISUALIZER_LISTN=:1", []string{"visualizer"}, 2, []string{"VISUALIZER_LISTN", "VISUALIZER_LISTEN"}},
		{"unknown variable of ingest", "VISUALIZER_FOO=1", []string{"ingest"}, 2, []string{"VISUALIZER_FOO"}},
		{"argument", "", []string{"query", "tweets.jsonl"}, 2, []string{"tweets.jsonl"}},
		{"bad rate", "", []string{"visualizer", "--rate", "fast"}, 2, []string{"--rate", "fast"}},
		{"negative rate", "", []string{"visualizer", "--rate=-1"}, 2, []string{"--rate"}},
		{"not a number rate", "", []string{"visualizer", "--rate=NaN"}, 2, []string{"--rate"}},
		{"bad deadline", "VISUALIZER_DEADLINE=0s", []string{"query"}, 2, []string{"VISUALIZER_DEADLINE"}},
		{"bad level", "", []string{"ingest", "--log-level", "loud"}, 2, []string{"--log-level", "loud"}},
		{"missing file", "", []string{"visualizer", "--source", "tweets.jsonl"}, 2, []string{"tweets.jsonl", "no such file"}},
		{"missing file of ingest", "", []string{"ingest", "--source", "tweets.jsonl", "--redis-url", redis, "--nats-url", "nats://127.0.0.1:1"}, 2, []string{"tweets.jsonl"}},
		{"folder without files", "", []string{"visualizer", "--source", "."}, 2, []string{"no files"}},
		{"source of later", "", []string{"visualizer", "--source", "bluesky"}, 2, []string{"source bluesky", "./bluesky"}},
		{"no token", "", []string{"visualizer", "--source", "x"}, 2, []string{"source x", "--x-bearer-token-file", "VISUALIZER_X_BEARER_TOKEN"}},
		{"bad token", "VISUALIZER_X_BEARER_TOKEN=my secret", []string{"ingest", "--source", "x"}, 2, []string{"VISUALIZER_X_BEARER_TOKEN", "the token alone"}},
		{"x twice", "VISUALIZER_X_BEARER_TOKEN=secret", []string{"visualizer", "--source", "x", "--source", "x"}, 2, []string{"source x", "twice"}},
		{"token in the url", "", []string{"visualizer", "--source", "x", "--x-url", "https://u:secret@h"}, 2, []string{"X API", "https://api.x.com"}},
		{"bad backfill", "", []string{"ingest", "--x-backfill-minutes", "6"}, 2, []string{"--x-backfill-minutes", "0 to 5"}},
		{"bad address", "", []string{"visualizer", "--listen", "8080"}, 2, []string{"--listen", "host:port"}},
		{"port in use", "", []string{"visualizer", "--listen", busy.Addr().String()}, 1, []string{"listen " + busy.Addr().String(), "in use", "--listen"}},
		{"started twice", "", []string{"visualizer", "--data", used, "--listen", busy.Addr().String()}, 1, []string{used, "runs on it already", "--data"}},
		{"password in a bad redis url", "", []string{"query", "--redis-url", "redis://u:pa/secret@127.0.0.1:1", "--listen", free, "--ops-listen", free}, 2, []string{"--redis-url", "escaped"}},
		{"password in a bad nats url", "", []string{"ingest", "--redis-url", redis, "--nats-url", "nats://u:pa/secret@127.0.0.1:1", "--ops-listen", free}, 2, []string{"--nats-url", "escaped"}},
		{"ops port in use", "", []string{"query", "--listen", free, "--ops-listen", busy.Addr().String(), "--redis-url", redis}, 1, []string{"in use", "--ops-listen"}},
		{"data in use", "", []string{"visualizer", "--data", used, "--listen", free, "--ops-listen", free}, 1, []string{used, "--data"}},
		{"data is a file", "", []string{"visualizer", "--data", notFolder, "--listen", free, "--ops-listen", free}, 1, []string{notFolder, "--data"}},
		{"no redis given", "", []string{"query"}, 2, []string{"--redis-url"}},
		{"no nats given", "", []string{"ingest", "--redis-url", redis}, 2, []string{"--nats-url"}},
		{"bad redis url", "", []string{"query", "--redis-url", "http://127.0.0.1:1", "--listen", free, "--ops-listen", free}, 2, []string{"--redis-url"}},
		{"redis away", "", []string{"query", "--redis-url", "redis://u:secret@127.0.0.1:1", "--listen", free, "--ops-listen", free}, 1, []string{"redis at 127.0.0.1:1", "refused", "--redis-url"}},
		{"nats away", "", []string{"ingest", "--redis-url", redis, "--nats-url", "nats://u:secret@127.0.0.1:1", "--ops-listen", free}, 1, []string{"nats at 127.0.0.1:1", "--nats-url"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var env []string
			if c.env != "" {
				env = []string{c.env}
			}
			code, stderr := command(t, env, filepath.Join(bin, c.args[0]), c.args[1:]...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if n := strings.Count(stderr, "\n"); n != 1 || !strings.HasPrefix(stderr, c.args[0]+": ") {
				t.Errorf("said %d lines, want 1 that begins with %q:\n%s", n, c.args[0]+": ", stderr)
			}
			for _, w := range append(c.want, "") {
				if !strings.Contains(stderr, w) || strings.Contains(stderr, "secret") {
					t.Errorf("said %q, want %q in it and no secret", stderr, w)
				}
			}
		})
	}
}

// TestBadArguments checks what GraphQL says to values without meaning: a code,
// a path to the value, and the siblings' answers all the same.
func TestBadArguments(t *testing.T) {
	t.Parallel()
	l := start(t, settings(t.TempDir(), filepath.Join(casesDir, "04_twarc2_page.jsonl")))
	l.finished()
	type edges struct {
		Tweets struct{ Edges []struct{ Cursor string } }
	}
	cursor := ask[edges](l, `{ tweets(first: 1) { edges { cursor } } }`, nil).Tweets.Edges[0].Cursor
	damaged := "A" + strings.ToUpper(cursor[1:])
	for _, c := range []struct{ args, path, want string }{
		{`first: -1`, "first", "0 to 100"},
		{`first: 101`, "first", "0 to 100"},
		{`last: -1`, "last", "0 to 100"},
		{`last: 2147483647`, "last", "0 to 100"},
		{`first: 1, last: 1`, "last", "exclude"},
		{`after: "` + cursor + `", before: "` + cursor + `"`, "before", "exclude"},
		{`after: "garbage"`, "after", "cursor"},
		{`after: ""`, "after", "cursor"},
		{`before: "` + damaged + `"`, "before", "cursor"},
		{`after: "` + cursor + `", filter: {langs: ["en"]}`, "after", "filter"},
		{`after: "` + cursor + `", orderBy: {direction: ASC}`, "after", "order"},
		{`filter: {since: "2023-03-15T00:00:00Z", until: "2023-03-14T00:00:00Z"}`, "filter.since", "after until"},
		{`filter: {since: "2023-03-15"}`, "filter.since", "RFC 3339"},
		{`filter: {ids: [` + strings.Repeat(`"1",`, 101) + `]}`, "filter.ids", "at most 100"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		a, err := try[struct {
			Tweets  any
			Sibling struct{ TotalCount int }
		}](ctx, l.url, `{ sibling: tweets { totalCount } tweets(`+c.args+`) { totalCount edges { cursor } } }`, nil)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Errors) != 1 || a.Errors[0].Extensions.Code != "BAD_USER_INPUT" || a.Data.Tweets != nil {
			t.Errorf("%s: %+v", c.args, a)
			continue
		}
		path := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Errors[0].Path), "[]"), " ", ".")
		if path != "tweets."+c.path || !strings.Contains(a.Errors[0].Message, c.want) {
			t.Errorf("%s: path %s, message %q, want path tweets.%s and %q", c.args, path, a.Errors[0].Message, c.path, c.want)
		}
		if a.Data.Sibling.TotalCount != 3 {
			t.Errorf("%s: the sibling says %d", c.args, a.Data.Sibling.TotalCount)
		}
	}
	if s := l.status(); s.Stored != 3 {
		t.Errorf("after all this %d are stored", s.Stored)
	}
}
