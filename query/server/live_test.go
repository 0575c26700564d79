package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"visualizer/internal/access"
	"visualizer/query/search"
	"visualizer/schema"
)

// serve serves an edge on a port.
func (e *edge) serve(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(e.handler)
	t.Cleanup(func() {
		if live, ok := e.handler.(*Edge); ok {
			live.Close()
		}
		http.DefaultClient.CloseIdleConnections()
		srv.Close()
	})
	return srv
}

// TestUpgrade: WebSockets are opened by the same rules as requests are answered.
func TestUpgrade(t *testing.T) {
	e := newEdge(t)
	e.handler = New(Config{Store: search.New(e.redis), Deadline: 20e9, Access: access.Config{Origins: access.Origins{"https://dash.example.org"}}})
	srv := e.serve(t)
	for _, tt := range []struct {
		origin, host string
		status       int
	}{
		{"", "", 101}, {srv.URL, "", 101}, {"https://dash.example.org", "", 101},
		{"https://evil.example", "", 403}, {"null", "", 403}, {"http://dash.example.org", "", 403}, {"", "evil.example", 403}, {"http://evil.example", "evil.example", 403},
	} {
		header := http.Header{}
		if tt.origin != "" {
			header.Set("Origin", tt.origin)
		}
		conn, resp, err := websocket.Dial(t.Context(), srv.URL+PathGraphQL, &websocket.DialOptions{HTTPHeader: header, Host: tt.host, Subprotocols: []string{"graphql-transport-ws"}})
		if resp == nil || resp.StatusCode != tt.status {
			t.Errorf("origin %q, host %q: %v %v, want %d", tt.origin, tt.host, resp, err, tt.status)
		}
		if conn != nil {
			conn.CloseNow()
		}
	}
}

// TestEventsPass: what compresses and measures answers lets events through, and
// limits hold for them.
func TestEventsPass(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7"})
	srv := e.serve(t)
	for query, want := range map[string]string{`{tweets{totalCount}}`: `"totalCount":1`, `{tweets{nodes{` + strings.Repeat("id ", 99) + `}}}`: "QUERY_TOO_COMPLEX"} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+PathGraphQL, strings.NewReader(`{"query":"`+query+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Accept-Encoding", "gzip")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(text), want) || resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s %v %v, want %s", text, resp.Header, err, want)
		}
	}
}

// TestHalfOpen: connections that begin and don't go on, more than there are
// slots, leave a good client its answers.
func TestHalfOpen(t *testing.T) {
	srv := newEdge(t, schema.Tweet{ID: "7"}).serve(t)
	for i := range 700 {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		begin := ""
		switch i % 10 {
		case 0:
		case 1:
			begin = "POST /graphql HT"
		default:
			begin = "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
		}
		if _, err := io.WriteString(conn, begin); err != nil {
			t.Fatal(err)
		}
	}
	var took []time.Duration
	for range 200 {
		start := time.Now()
		resp, err := http.Get(srv.URL + PathGraphQL + "?query={tweets{totalCount}}")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%d %s %v", resp.StatusCode, text, err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	if p99 := took[len(took)*99/100]; p99 > 100*time.Millisecond {
		t.Errorf("p99 %v, want 100 ms", p99)
	}
}
