package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestRefusedSource: a stream that refuses the token is down until somebody has
// seen to it. The command tells so with the reason in stream and /readyz, asks X
// no more, goes on with its other sources, and tries again by startStream. The
// token, which the refusal echoes, is nowhere.
func TestRefusedSource(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var mended atomic.Bool
	x := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if !mended.Load() {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"title":"Unauthorized","detail":"%s"}`, r.Header.Get("Authorization"))
			return
		}
		flush(w, `{"data":{"id":"1","text":"a"}}`+"\r\n")
		<-r.Context().Done()
	}))
	t.Cleanup(x.Close)
	ops := freeAddress(t)
	var stderr lockedBuffer
	cmd, url := startX(t, &stderr, "--source", "x", "--source", filepath.Join(casesDir, "58_sample_burst_300.jsonl"),
		"--x-url", x.URL, "--ops-listen", ops, "--log-level", "debug")
	l := &line{t: t, url: url}
	const want = "connect to x: 401 Unauthorized: Unauthorized: Bearer [redacted]: the bearer token is not accepted: check --x-bearer-token-file and what the app may use"
	down := func() bool {
		s := l.status()
		return s.State == "RECONNECTING" && s.LastError == want && s.Stored == 300 && s.Pending == 0
	}
	shown := ""
	for n := int64(1); n <= 2; n++ {
		eventually(t, "the source is down and the other one stored", func() bool { return down() && asked.Load() == n })
		red := ""
		eventually(t, "it is not ready", func() bool { red = get(t, "http://"+ops+"/readyz"); return strings.Contains(red, "source x: "+want) })
		shown += red + get(t, "http://"+ops+"/metrics") + fmt.Sprint(l.status())
		mended.Store(n == 2)
		l.startStream()
	}
	eventually(t, "the stream is read", func() bool { s := l.status(); return s.State == "RUNNING" && s.Stored == 301 })
	eventually(t, "it is ready", func() bool { return !strings.Contains(get(t, "http://"+ops+"/readyz"), "source x: ") })
	if s := l.status(); s.Received != 301 || asked.Load() != 3 {
		t.Errorf("X was asked %d times, and the status is %+v: want 3 times, and the file read once", asked.Load(), s)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if shown += stderr.String(); strings.Contains(shown, canary) || !strings.Contains(shown, "a source is given up") {
		t.Errorf("the token is shown, or the log lacks the refusal:\n%s", shown)
	}
}
