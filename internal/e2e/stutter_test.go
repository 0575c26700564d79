package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// stutterer is a server in front of another, by HTTP and by WebSocket. Who asks it
// for what lies behind a second cursor gets what lies behind the first once more.
type stutterer struct {
	to      string
	proxy   httputil.ReverseProxy
	stop    context.Context
	sockets sync.WaitGroup

	mu      sync.Mutex
	cursors [][]byte
}

// stutter starts one and returns its URL.
func stutter(t *testing.T, to string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	stop, cancel := context.WithCancel(context.Background())
	transport := &http.Transport{}
	s := &stutterer{to: to, stop: stop, proxy: httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) },
		FlushInterval: -1,
		Transport:     transport,
	}}
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		cancel()
		srv.CloseClientConnections()
		srv.Close()
		s.sockets.Wait()
		transport.CloseIdleConnections()
	})
	return srv.URL + target.Path
}

func (s *stutterer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		s.sockets.Add(1)
		defer s.sockets.Done()
		s.socket(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	body = s.repeat(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	s.proxy.ServeHTTP(w, r)
}

// socket passes messages on until one side ends.
func (s *stutterer) socket(w http.ResponseWriter, r *http.Request) {
	protocols := []string{"graphql-transport-ws"}
	client, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: protocols})
	if err != nil {
		return
	}
	defer client.CloseNow()
	server, _, err := websocket.Dial(s.stop, strings.Replace(s.to, "http", "ws", 1), &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(s.stop)
	var answers sync.WaitGroup
	answers.Go(func() { defer cancel(); pass(ctx, server, client, func(m []byte) []byte { return m }) })
	pass(ctx, client, server, s.repeat)
	cancel()
	server.CloseNow()
	answers.Wait()
}

func pass(ctx context.Context, from, to *websocket.Conn, change func([]byte) []byte) {
	from.SetReadLimit(-1)
	for {
		kind, message, err := from.Read(ctx)
		if err != nil || to.Write(ctx, kind, change(message)) != nil {
			return
		}
	}
}

var cursor = regexp.MustCompile(`"after":\s*"([^"]+)"`)

// repeat puts the first cursor in the place of the second.
func (s *stutterer) repeat(request []byte) []byte {
	found := cursor.FindSubmatch(request)
	if found == nil {
		return request
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cursors = append(s.cursors, found[1]); len(s.cursors) != 2 {
		return request
	}
	return bytes.Replace(request, found[1], s.cursors[0], 1)
}
