package query_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"visualizer/internal/index"
	"visualizer/internal/stack/stacktest"
	"visualizer/query"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestWithoutNATS: without NATS, or while it doesn't answer, nobody can follow
// new tweets, and all else works.
func TestWithoutNATS(t *testing.T) {
	servers := stacktest.Start(t)
	if _, err := index.Ensure(t.Context(), stacktest.Redis(t, servers), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	for name, natsURL := range map[string]string{"none": "", "nobody there": "nats://127.0.0.1:1"} {
		t.Run(name, func(t *testing.T) {
			service, err := query.New(t.Context(), query.Config{
				RedisURL: servers.RedisURL(), NATSURL: natsURL, Deadline: 5 * time.Second,
				Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer service.Close()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- service.Serve(ctx, ln) }()
			defer func() { stop(); <-ended }()
			for query, want := range map[string]string{
				`subscription{tweetAdded{id}}`: "SERVICE_UNAVAILABLE",
				`{tweets{totalCount}}`:         `"totalCount":0`,
			} {
				if got := askEvents(t, "http://"+ln.Addr().String(), query); !strings.Contains(got, want) {
					t.Errorf("%s: %s, want %s", query, got, want)
				}
			}
			if err := service.FeedReady(ctx); err == nil {
				t.Error("the feed says that it is ready")
			}
			if err := service.Ready(ctx); err != nil {
				t.Errorf("the service says that it is not ready: %v", err)
			}
		})
	}
}

// askEvents returns all that is answered to an operation as events.
func askEvents(t *testing.T, base, query string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", base+"/graphql?"+url.Values{"query": {query}}.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
