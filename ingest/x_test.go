package ingest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"

	"visualizer/ingest/source"
	"visualizer/internal/line"
	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// TestStreamIsNotHeld: while NATS takes nothing, a stream of X is read all the
// same. What there is no room for is counted at once, by its reason, and told;
// the rest is stored when NATS takes tweets again, and the sums are right at
// each moment.
func TestStreamIsNotHeld(t *testing.T) {
	room := source.DefaultRoom().Records
	tweets := int64(room + 4000)
	written := make(chan struct{})
	x := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for id := range tweets {
			fmt.Fprintf(w, `{"data":{"id":"%d","text":"a"}}`+"\r\n", id+1)
		}
		fmt.Fprint(w, "\r\n"+`{"warning":{"code":"FALLING_BEHIND"}}`+"\r\n")
		w.(http.Flusher).Flush()
		close(written)
		<-r.Context().Done()
	}))
	defer x.Close()
	sources, err := OpenSources([]string{"x"}, nil, XFlags{App: App{XURL: x.URL}})
	if err != nil {
		t.Fatal(err)
	}
	goOn := make(chan struct{})
	var log strings.Builder
	registry := prometheus.NewRegistry()
	servers := stacktest.Start(t)
	redis := stacktest.Redis(t, servers)
	url, options := servers.NATS()
	service, err := New(t.Context(), Config{
		Sources: sources, RedisURL: servers.RedisURL(), NATSURL: url, NATSOptions: options,
		Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: registry, Bar: nil, Summary: io.Discard,
		Published: func(_ []byte, acked bool) {
			if !acked {
				<-goOn
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	release := sync.OnceFunc(func() { close(goOn) })
	end := sync.OnceFunc(func() { release(); stop(); <-ended })
	defer end()

	<-written
	held := awaitStatus(t, redis, "all is read", func(s *schema.Status) bool { return len(s.Control) == 1 && s.Blank == 1 })
	refused := rejectedOf(held)
	// The publisher holds a batch, the room its records, and one is in between.
	if least := tweets - maxBatch - int64(room) - 1; refused < least || refused >= tweets || held.Received != refused+1 {
		t.Errorf("%d of %d are refused, want at least %d: %+v", refused, tweets, least, held)
	}
	if want := "x: the buffer is full: NATS takes tweets slower than the stream brings them, or not at all: 1 are refused so far"; string(held.LastError) != want || held.State != schema.StateRunning {
		t.Errorf("the state is %s and the last error %q, want %q", held.State, held.LastError, want)
	}
	release()
	all := awaitStatus(t, redis, "the rest is stored", func(s *schema.Status) bool { return s.Stored == tweets-refused })
	if rejectedOf(all) != refused || all.Received != tweets+1 || all.Duplicates != 0 {
		t.Errorf("in the end %+v", all)
	}
	if got := counterOf(t, registry, "visualizer_ingest_rejected_total", "buffer_full"); got != float64(refused) {
		t.Errorf("the metric says %v are refused, the status %d", got, refused)
	}
	end()
	if n := strings.Count(log.String(), "brings more than"); n != 1 {
		t.Errorf("it is logged %d times:\n%s", n, log.String())
	}
}

func rejectedOf(s *schema.Status) (n int64) {
	for _, r := range s.Rejected {
		if r.Reason == string(schema.BufferFull) {
			n += r.Count
		}
	}
	return n
}

// awaitStatus waits until the status of the line is as it should be.
func awaitStatus(t *testing.T, redis rueidis.Client, what string, ok func(*schema.Status) bool) *schema.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var s *schema.Status
	for {
		var err error
		if s, err = line.Status(ctx, redis); err != nil {
			t.Fatalf("it never was so that %s: %v; last %+v", what, err, s)
		}
		if ok(s) {
			return s
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// counterOf returns a counter with one label.
func counterOf(t *testing.T, registry *prometheus.Registry, name, label string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

func TestXSourceArguments(t *testing.T) {
	token, err := source.NewToken("secret")
	if err != nil {
		t.Fatal(err)
	}
	with := XFlags{App: App{XBearerToken: token}}
	for _, c := range []struct {
		args string
		x    XFlags
		want string // "": opened
	}{
		{"x", with, ""},
		{"x:filtered", with, ""},
		{"x x:filtered", with, ""},
		{"x", XFlags{App: App{XURL: "http://127.0.0.1:1"}}, ""}, // a server of one's own may want none
		{"x", XFlags{}, "open source x: there is no bearer token: give --x-bearer-token-file, or VISUALIZER_X_BEARER_TOKEN"},
		{"x:filtered", XFlags{}, "open source x:filtered: there is no bearer token: give --x-bearer-token-file, or VISUALIZER_X_BEARER_TOKEN"},
		{"x sim x", with, "open source x: it is given twice, and X allows one connection: give it once"},
		{"x", XFlags{App: App{XURL: "api.x.com", XBearerToken: token}}, `open X API: "api.x.com" is no URL of an API: give one like https://api.x.com`},
		{"x", XFlags{App: App{XURL: "https://u:secret@h"}}, "open X API: the URL has more than a host and a path: give one like https://api.x.com, and the token in a file"},
	} {
		sources, err := OpenSources(strings.Fields(c.args), nil, c.x)
		if fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
		for i, name := range strings.Fields(c.args) {
			if err == nil && sources[i].Name() != name {
				t.Errorf("%s: source %d is %s", c.args, i, sources[i].Name())
			}
		}
	}
	for minutes, ok := range map[int]bool{-1: false, 0: true, 5: true, 6: false} {
		if err := (&XFlags{XBackfillMinutes: minutes}).Validate(); (err == nil) != ok {
			t.Errorf("%d minutes: %v", minutes, err)
		}
	}
	if s := fmt.Sprintf("%v %+v %#v", with, with, with); strings.Contains(s, "secret") {
		t.Errorf("the token is shown: %s", s)
	}
}
