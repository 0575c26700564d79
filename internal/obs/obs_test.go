package obs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNewLogger(t *testing.T) {
	for _, tc := range []struct{ level, format, want string }{
		{"debug", "text", "DEBUG INFO WARN ERROR"},
		{"info", "json", "INFO WARN ERROR"},
		{"warn", "text", "WARN ERROR"},
		{"error", "json", "ERROR"},
	} {
		var out bytes.Buffer
		log, err := NewLogger(&out, tc.level, tc.format)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
			log.Log(t.Context(), l, "m")
		}
		var got []string
		for record := range strings.Lines(out.String()) {
			if isJSON := record[0] == '{'; isJSON != (tc.format == "json") {
				t.Errorf("%s: wrote %s", tc.format, record)
			}
			for _, l := range []string{"DEBUG", "INFO", "WARN", "ERROR"} {
				if strings.Contains(record, l) {
					got = append(got, l)
				}
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s: logged %s, want %s", tc.level, s, tc.want)
		}
	}
}

func TestNewLoggerRefuses(t *testing.T) {
	for _, tc := range []struct{ level, format, want string }{
		{"loud", "text", `set log level "loud": unknown: use debug, info, warn or error`},
		{"", "text", `set log level "": unknown: use debug, info, warn or error`},
		{"info", "xml", `set log format "xml": unknown: use text or json`},
	} {
		if _, err := NewLogger(io.Discard, tc.level, tc.format); err == nil || err.Error() != tc.want {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

func TestListen(t *testing.T) {
	ln, err := Listen("--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	taken := ln.Addr().String()
	for _, tc := range []struct {
		addr, want string
		usage      bool
	}{
		{taken, "listen " + taken + ": address already in use: choose another with --listen", false},
		{"192.0.2.1:80", "listen 192.0.2.1:80: cannot assign requested address: choose another with --listen", false},
		{"8080", `listen "8080": missing port in address: give --listen as host:port, like 127.0.0.1:8080`, true},
		{"", `listen "": missing port in address: give --listen as host:port, like 127.0.0.1:8080`, true},
		{"::1:8080", `listen "::1:8080": too many colons in address: give --listen as host:port, like 127.0.0.1:8080`, true},
		{"127.0.0.1:99999", `listen "127.0.0.1:99999": invalid port: give --listen as host:port, like 127.0.0.1:8080`, true},
		{"127.0.0.1:door", `listen "127.0.0.1:door": unknown port: give --listen as host:port, like 127.0.0.1:8080`, true},
	} {
		_, err := Listen("--listen", tc.addr)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.addr, err, tc.want)
		}
		var bad interface{ BadUsage() bool }
		if usage := errors.As(err, &bad); usage != tc.usage {
			t.Errorf("%s: bad usage is %v", tc.addr, usage)
		}
	}
}

// serve starts o and returns its URL and what stops it and returns its error.
func serve(t *testing.T, o *Ops) (url string, stop func() error) {
	t.Helper()
	ln, err := Listen("--ops-listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- o.Serve(ctx, ln) }()
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return "http://" + ln.Addr().String(), func() error {
		cancel()
		return <-done
	}
}

func newOps() *Ops { return NewOps(NewRegistry(), slog.New(slog.DiscardHandler)) }

func get(t *testing.T, url string) (status int, body string, header http.Header) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

func TestOps(t *testing.T) {
	url, stop := serve(t, newOps())
	for _, tc := range []struct {
		path   string
		status int
		holds  string
	}{
		{"/livez", 200, "ok\n"},
		{"/readyz", 200, "ready\n"},
		{"/metrics", 200, "go_goroutines "},
		{"/metrics", 200, "process_open_fds "},
		{"/debug/pprof/", 200, "goroutine"},
		{"/debug/pprof/heap?debug=1", 200, "heap profile"},
		{"/debug/pprof/cmdline", 200, "obs.test"},
		{"/debug/pprof/nothing", 404, "Unknown profile"},
		{"/", 404, ""},
		{"/livez/more", 404, ""},
	} {
		status, body, header := get(t, url+tc.path)
		if status != tc.status || !strings.Contains(body, tc.holds) {
			t.Errorf("%s: %d %.80q, want %d %q", tc.path, status, body, tc.status, tc.holds)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: may be sniffed", tc.path)
		}
	}
	resp, err := http.Post(url+"/livez", "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /livez: %d", resp.StatusCode)
	}
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestReadyTellsEachFailureInOrder(t *testing.T) {
	o := newOps()
	o.Check("redis", func(context.Context) error {
		time.Sleep(20 * time.Millisecond)
		return errors.New("refused\nonce more")
	})
	o.Check("nats", func(context.Context) error { return nil })
	o.Check("graph", func(context.Context) error { return errors.New(strings.Repeat("é", maxReason)) })
	o.Check("redis", func(context.Context) error { time.Sleep(20 * time.Millisecond); return errors.New("refused\nagain") })
	url, stop := serve(t, o)
	status, body, header := get(t, url+"/readyz")
	want := "redis: refused again\ngraph: " + strings.Repeat("é", maxReason/2) + "\n"
	if status != 503 || body != want {
		t.Errorf("%d %q, want 503 %q", status, body, want)
	}
	if header.Get("Cache-Control") != "no-store" {
		t.Errorf("may be cached: %v", header)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestReadyWithHungChecks: all checks together get one limit, those that hang
// are reported, and asking again does not start them a second time.
func TestReadyWithHungChecks(t *testing.T) {
	o := newOps()
	o.ready.limit = 50 * time.Millisecond
	hang := make(chan struct{})
	var started atomic.Int32
	for i := range 3 {
		o.Check(fmt.Sprintf("hung%d", i), func(context.Context) error { started.Add(1); <-hang; return nil })
	}
	o.Check("slow", func(ctx context.Context) error { <-ctx.Done(); return errors.New("gave up") })
	o.Check("fine", func(context.Context) error { return nil })
	url, stop := serve(t, o)
	begin := time.Now()
	for range 3 {
		status, body, _ := get(t, url+"/readyz")
		if status != 503 || !strings.HasPrefix(body, "hung0: no answer in 50ms\nhung1: no answer in 50ms\nhung2: no answer in 50ms\nslow: ") || strings.Contains(body, "fine") {
			t.Errorf("%d %q", status, body)
		}
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("three answers took %s", took)
	}
	if n := started.Load(); n != 3 {
		t.Errorf("hung checks were started %d times, want 3", n)
	}
	close(hang)
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestProfileOutlastsTheLimits: a profile that takes longer than requests may
// is whole.
func TestProfileOutlastsTheLimits(t *testing.T) {
	o := newOps()
	o.limit = 100 * time.Millisecond
	url, stop := serve(t, o)
	begin := time.Now()
	status, body, _ := get(t, url+"/debug/pprof/trace?seconds=1")
	if took := time.Since(begin); status != 200 || took < time.Second {
		t.Errorf("%d after %s: %.80q", status, took, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestSlowClientIsDropped: a header that never ends holds no connection.
func TestSlowClientIsDropped(t *testing.T) {
	o := newOps()
	o.limit = 50 * time.Millisecond
	url, stop := serve(t, o)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the connection was kept: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestStopWithARequestUnderWay: what is under way ends soon after the service.
func TestStopWithARequestUnderWay(t *testing.T) {
	o := newOps()
	started := make(chan struct{})
	o.Check("slow", func(ctx context.Context) error { close(started); <-ctx.Done(); return ctx.Err() })
	url, stop := serve(t, o)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if resp, err := http.Get(url + "/readyz"); err == nil {
			resp.Body.Close()
		}
	}()
	<-started
	if err := stop(); err != nil {
		t.Error(err)
	}
	<-answered
}

func TestServeOnAClosedListener(t *testing.T) {
	ln, err := Listen("--ops-listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	err = newOps().Serve(t.Context(), ln)
	if err == nil || !strings.HasPrefix(err.Error(), "serve ops on 127.0.0.1:") {
		t.Errorf("got %v", err)
	}
}
