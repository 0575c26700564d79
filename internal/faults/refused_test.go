package faults

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestRefusedToken: an ingest whose token X refuses asks once. It stores what its
// other sources have, is red meanwhile, and then ends with 1 and one line that
// says what to do. The token, which the refusal echoes, is nowhere.
func TestRefusedToken(t *testing.T) {
	const token = "CANARY-4d17f0"
	r := newRig(t, nil)
	for n, code := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			var asked atomic.Int64
			x := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(code)
				fmt.Fprintf(w, `{"title":"Refused","detail":"%s"}`, r.Header.Get("Authorization"))
			}))
			t.Cleanup(x.Close)
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			s := &service{r: r, ops: freeAddress(t)}
			cmd := r.command("--source", "x", "--source", pipe, "--x-url", x.URL, "--ops-listen", s.ops)
			cmd.Env = append(cmd.Env, "VISUALIZER_X_BEARER_TOKEN="+token)
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // which waits for a reader
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()

			want := fmt.Sprintf("connect to x: %d %s: Refused: Bearer [redacted]: the bearer token is not accepted: check --x-bearer-token-file and what the app may use", code, http.StatusText(code))
			red := ""
			eventually(t, "it is red", func() bool { red = s.ready(); return strings.Contains(red, "source x: ") })
			if !strings.Contains(red, "503") || !strings.Contains(red, "source x: "+want) {
				t.Errorf("/readyz says %q, want 503 and %q", red, want)
			}
			id := fmt.Sprint(n + 1)
			io.WriteString(w, `{"id":"`+id+`","text":"beside it"}`+"\n")
			eventually(t, "the other source is stored", func() bool { return r.knows(id) })
			eventually(t, "stream tells why", func() bool { return string(r.status().LastError) == want })
			w.Close()

			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("it ended with %v, want exit code 1", err)
			}
			if last := "ingest: " + want + "\n"; !strings.HasSuffix(said.String(), last) {
				t.Errorf("it said\n%swant %q in the end", said.String(), last)
			}
			if strings.Contains(said.String()+red, token) {
				t.Errorf("the token is told:\n%s%s", said.String(), red)
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("X was asked %d times", n)
			}
		})
	}
}
