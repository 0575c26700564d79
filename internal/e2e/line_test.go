package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"visualizer/internal/allinone"
	"visualizer/internal/cli"
)

// patience bounds every wait; it is long because the machine may be busy.
const patience = 3 * time.Minute

// line is a running all-in-one.
type line struct {
	t    *testing.T
	url  string // of GraphQL
	stop func() error
}

// settings are those of an all-in-one that meets no other.
func settings(data string, sources ...string) *allinone.Settings {
	return &allinone.Settings{
		Sources: cli.Sources{Source: sources},
		Edge:    cli.Edge{Listen: "127.0.0.1:0", Deadline: 10 * time.Second},
		Ops:     cli.Ops{OpsListen: "127.0.0.1:0"},
		Log:     cli.Log{LogLevel: "error", LogFormat: "text"},
		Data:    data,
	}
}

// start runs the all-in-one in this process and returns when it is ready.
func start(t *testing.T, cfg *allinone.Settings) *line {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	said, out := io.Pipe()
	cfg.Stdout = out
	ended := make(chan error, 1)
	go func() {
		err := allinone.Run(ctx, cfg)
		out.CloseWithError(errors.Join(io.EOF, err))
		ended <- err
	}()
	l := &line{t: t, stop: func() error { cancel(); return <-ended }}
	stopped := false
	stop := l.stop
	l.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		return stop()
	}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := l.stop(); err != nil {
			t.Errorf("stop the line: %v", err)
		}
	})
	buf := make([]byte, 256)
	n, err := said.Read(buf)
	if err != nil {
		t.Fatalf("wait for the ready line: %v", err)
	}
	go io.Copy(io.Discard, said)
	l.url = graphqlURL(t, string(buf[:n]))
	return l
}

// graphqlURL reads the ready line.
func graphqlURL(t *testing.T, ready string) string {
	t.Helper()
	_, url, ok := strings.Cut(strings.TrimSpace(ready), " graphql=")
	if !ok || !strings.HasPrefix(ready, "ready page=http://") {
		t.Fatalf("ready line is %q", ready)
	}
	return url
}

// answer is a GraphQL response.
type answer[T any] struct {
	Data   T
	Errors []struct {
		Message    string
		Path       []any
		Extensions struct{ Code, RequestID string }
	}
}

// try sends an operation.
func try[T any](ctx context.Context, url, query string, variables map[string]any) (answer[T], error) {
	var a answer[T]
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return a, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	return a, json.NewDecoder(resp.Body).Decode(&a)
}

// client talks to the lines; a line that stops closes its idle connections.
var client = &http.Client{Transport: &http.Transport{}}

// ask sends an operation that must succeed.
func ask[T any](l *line, query string, variables map[string]any) T {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a, err := try[T](ctx, l.url, query, variables)
	if err != nil {
		l.t.Fatalf("ask %s: %v", query, err)
	}
	if len(a.Errors) > 0 {
		l.t.Fatalf("ask %s: %+v", query, a.Errors)
	}
	return a.Data
}

// status is what stream tells.
type status struct {
	State                                                          string
	Received, Stored, Updated, Duplicates, Deleted, Blank, Pending int64
	Repaired                                                       int64
	LastError                                                      string
	Control                                                        []struct {
		Type  string
		Count int64
	}
	Rejected []struct {
		Reason string
		Count  int64
	}
}

func (s status) control() (n int64) {
	for _, c := range s.Control {
		n += c.Count
	}
	return n
}

func (s status) rejected() map[string]int64 {
	m := map[string]int64{}
	for _, r := range s.Rejected {
		m[r.Reason] = r.Count
	}
	return m
}

// status returns what stream tells, and checks that it adds up.
func (l *line) status() status {
	l.t.Helper()
	s := ask[struct{ Stream status }](l, `{ stream { state received stored updated duplicates deleted control { type count }
		blank repaired rejected { reason count } pending lastError } }`, nil).Stream
	sum := s.Stored + s.Updated + s.Duplicates + s.Pending + s.control()
	for _, n := range s.rejected() {
		sum += n
	}
	if s.Received != sum {
		l.t.Errorf("received %d, but the parts are %d: %+v", s.Received, sum, s)
	}
	return s
}

// finished waits until the sources have ended and everything is stored.
func (l *line) finished() status {
	l.t.Helper()
	var s status
	eventually(l.t, "the line is finished", func() bool { s = l.status(); return s.State == "FINISHED" })
	if s.Pending != 0 {
		l.t.Errorf("the line is finished, and %d are pending", s.Pending)
	}
	return s
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("after %v it is not so that %s", patience, what)
		case <-tick.C:
		}
	}
}

// ids walks all tweets, newest first, and checks that the total agrees.
func (l *line) ids() []string {
	l.t.Helper()
	type page struct {
		Tweets struct {
			TotalCount int
			Nodes      []struct{ ID string }
			PageInfo   struct {
				HasNextPage bool
				EndCursor   *string
			}
		}
	}
	ids := []string{}
	var after *string
	for {
		p := ask[page](l, `query($after: String) { tweets(first: 100, after: $after) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }`,
			map[string]any{"after": after}).Tweets
		for _, n := range p.Nodes {
			ids = append(ids, n.ID)
		}
		if !p.PageInfo.HasNextPage {
			if p.TotalCount != len(ids) {
				l.t.Errorf("totalCount is %d, a walk finds %d", p.TotalCount, len(ids))
			}
			return ids
		}
		after = p.PageInfo.EndCursor
	}
}
