package transport

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// openStream opens an event stream.
func openStream(t *testing.T, ctx context.Context, method, address, query string) *http.Response {
	t.Helper()
	var body io.Reader
	if method == http.MethodGet {
		address += "?query=" + url.QueryEscape(query)
	} else {
		body = strings.NewReader(jsonOf(t, map[string]string{"query": query}))
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

const done = "event: complete\ndata:\n\n"

// TestStream: each operation is answered with events and ends with complete.
func TestStream(t *testing.T) {
	_, srv := serveTicker(t, shortLimits())
	for _, tt := range []struct{ method, query, want string }{
		{"POST", `{ok}`, "event: next\ndata: {\"data\":{\"ok\":true}}\n\n" + done},
		{"GET", `{ok}`, "event: next\ndata: {\"data\":{\"ok\":true}}\n\n" + done},
		{"POST", `mutation{ok}`, "event: next\ndata: {\"data\":{\"ok\":true}}\n\n" + done},
		{"GET", `subscription{tick(n:2)}`, "event: next\ndata: {\"data\":{\"tick\":1}}\n\nevent: next\ndata: {\"data\":{\"tick\":2}}\n\n" + done},
		{"GET", `mutation{ok}`, "send it by POST"},
		{"POST", `{no}`, "GRAPHQL_VALIDATION_FAILED"},
		{"POST", `subscription{gap}`, "FEED_GAP"},
	} {
		resp := openStream(t, t.Context(), tt.method, srv.URL, tt.query)
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			t.Errorf("%s: %v %v", tt.query, resp, err)
		}
		if got := strings.ReplaceAll(strings.TrimPrefix(string(text), ":\n\n"), "\n\n:\n\n", "\n\n"); !strings.Contains(got, tt.want) || !strings.HasSuffix(got, done) {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.query, got, tt.want)
		}
	}
	if resp := openStream(t, t.Context(), "POST", srv.URL, ""); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("no query: %d, want 400", resp.StatusCode)
	}
}

// TestStreamEnds: a stream stays open while nothing is said, takes no slot of
// work, and ends with its client or the service.
func TestStreamEnds(t *testing.T) {
	limits := shortLimits()
	limits.Slots = NewSlots(1)
	live, srv := serveTicker(t, limits)
	ctx, cancel := context.WithCancel(t.Context())
	resp := openStream(t, ctx, "GET", srv.URL, `subscription{silence}`)
	alive := make([]byte, len(":\n\n")*3)
	if _, err := io.ReadFull(resp.Body, alive); err != nil || string(alive) != ":\n\n:\n\n:\n\n" {
		t.Errorf("%q %v, want keep-alive comments", alive, err)
	}
	if len(live.limits.Slots) != 0 {
		t.Error("a waiting subscription takes a slot")
	}
	cancel()
	await(t, "the client's place is free", func() bool { return len(live.places) == 0 })

	resp = openStream(t, t.Context(), "GET", srv.URL, `subscription{silence}`)
	live.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || strings.Contains(string(text), "complete") {
		t.Errorf("%q %v, want an end without complete", text, err)
	}
}

// TestStreamNeverReads: who doesn't read an event stream is dropped.
func TestStreamNeverReads(t *testing.T) {
	live, srv := serveTicker(t, shortLimits())
	openStream(t, t.Context(), "GET", srv.URL, `subscription{flood}`)
	await(t, "its place is free", func() bool { return len(live.places) == 0 })
}

// TestStreamPlaces: streams take the places of connections that stay.
func TestStreamPlaces(t *testing.T) {
	limits := shortLimits()
	limits.Connections = 1
	_, srv := serveTicker(t, limits)
	openStream(t, t.Context(), "GET", srv.URL, `subscription{silence}`)
	if resp := openStream(t, t.Context(), "GET", srv.URL, `subscription{silence}`); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d, want 503", resp.StatusCode)
	}
}
