package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector of traces.
type receiver struct {
	*httptest.Server
	t *testing.T

	mu     sync.Mutex
	bodies [][]byte
	spans  []*traces.Span
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP takes what an exporter sends.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var sent collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &sent)
	}
	if err != nil || req.URL.Path != "/v1/traces" {
		r.t.Errorf("a request to %s: %v", req.URL.Path, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = append(r.bodies, body)
	for _, of := range sent.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// chains is how many spans of the names there are, each the child of the one
// before and of its trace.
func (r *receiver) chains(names ...string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	parents := map[string]bool{"": true}
	for _, name := range names {
		children := map[string]bool{}
		for _, s := range r.spans {
			key := ""
			if len(s.ParentSpanId) > 0 {
				key = string(s.TraceId) + string(s.ParentSpanId)
			}
			if s.Name == name && parents[key] {
				children[string(s.TraceId)+string(s.SpanId)] = true
			}
		}
		parents = children
	}
	return len(parents)
}

// TestTraces follows messages from a stream that misbehaves through JetStream
// to Redis' disk, with the real command: the spans hang together, and the
// token is in none.
func TestTraces(t *testing.T) {
	t.Parallel()
	x, r := newFakeX(t), newReceiver(t)
	close(x.stored)
	var stderr lockedBuffer
	cmd, url := startX(t, &stderr, "--source", "x", "--source", "x:filtered", "--x-url", x.URL, "--ops-listen", freeAddress(t),
		"--otlp-endpoint", r.URL, "--trace-ratio", "1")
	l := &line{t: t, url: url}
	eventually(t, "all is stored", func() bool { return l.status().Stored == 451 })
	eventually(t, "all is on disk", func() bool { return l.status().Pending == 0 })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("stop: %v\n%s", err, stderr.String())
	}
	for _, names := range [][]string{
		{"publish tweets", "store tweets", "write transaction"},
		{"publish tweets", "store tweets", "sync tweets"},
	} {
		if n := r.chains(names...); n < 2 {
			t.Errorf("there are %d chains of %v", n, names)
		}
	}
	if all, published := r.chains("publish tweets", "store tweets"), r.chains("publish tweets"); all != published {
		t.Errorf("%d messages are traced to JetStream and %d from there", published, all)
	}
	for _, body := range r.bodies {
		if bytes.Contains(body, []byte(canary)) {
			t.Error("a span has the token")
		}
	}
}

// TestTraceRatio: of many messages as few are traced as was asked for, here
// none.
func TestTraceRatio(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	cfg := settings(t.TempDir(), "sim")
	rate := 200.0
	cfg.Rate, cfg.OTLPEndpoint, cfg.TraceRatio = &rate, r.URL, 0
	l := start(t, cfg)
	eventually(t, "tweets are stored", func() bool { return l.status().Stored > 500 })
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	if len(r.spans) > 0 {
		t.Errorf("with a ratio of 0 there are %d spans", len(r.spans))
	}
}
