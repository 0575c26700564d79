package e2e

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// canary is a token that must be seen by the X server alone.
const canary = "CANARY-91e7c2"

// fakeX is an X API that misbehaves. Each tweet that it sends whole is told.
type fakeX struct {
	t *testing.T
	*httptest.Server
	stored chan struct{} // closed when what was sent so far is stored

	mu    sync.Mutex
	seats map[string]chan struct{} // of the one connection to a path
	times map[string]int
	sent  map[string]int // how often each tweet was sent whole
	rules []string
}

func newFakeX(t *testing.T) *fakeX {
	x := &fakeX{t: t, stored: make(chan struct{}), seats: map[string]chan struct{}{}, times: map[string]int{}, sent: map[string]int{}}
	x.Server = httptest.NewServer(x)
	t.Cleanup(x.Close)
	return x
}

func (x *fakeX) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+canary {
		x.t.Errorf("%s came with %q", r.URL.Path, r.Header.Get("Authorization"))
	}
	script := map[string][]http.HandlerFunc{
		"/2/tweets/sample/stream": {x.drop, x.halfLine, x.reset, x.webPage, x.disconnect, x.gzipCut, x.goOn},
		"/2/tweets/search/stream": {x.matching},
	}[r.URL.Path]
	if script == nil {
		x.serveRules(w, r)
		return
	}
	x.mu.Lock()
	n := x.times[r.URL.Path]
	x.times[r.URL.Path]++
	if x.seats[r.URL.Path] == nil {
		x.seats[r.URL.Path] = make(chan struct{}, 1)
	}
	seat := x.seats[r.URL.Path]
	x.mu.Unlock()
	select {
	case seat <- struct{}{}:
		defer func() { <-seat }()
	case <-time.After(10 * time.Second): // the server sees a little late that a connection was closed
		x.t.Errorf("two connections to %s", r.URL.Path)
		return
	}
	script[min(n, len(script)-1)](w, r)
}

// lines returns tweets from one id to another as lines of the stream.
func (x *fakeX) lines(from, to int) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var b strings.Builder
	for id := from; id <= to; id++ {
		x.sent[strconv.Itoa(id)]++
		fmt.Fprintf(&b, `{"data":{"id":"%d","text":"tweet %d 🎈","author_id":"5","created_at":"2024-01-01T00:00:00.000Z"},"includes":{"users":[{"id":"5","username":"u","name":"n"}]}}`+"\r\n", id, id)
	}
	return b.String()
}

func flush(w http.ResponseWriter, parts ...string) {
	for _, p := range parts {
		io.WriteString(w, p)
		w.(http.Flusher).Flush()
	}
}

// drop sends one tweet in pieces, several in one, and ends the stream.
func (x *fakeX) drop(w http.ResponseWriter, r *http.Request) {
	one := x.lines(1000, 1000)
	flush(w, "\r\n", one[:60], one[60:], x.lines(1001, 1100))
}

// halfLine ends within a tweet.
func (x *fakeX) halfLine(w http.ResponseWriter, r *http.Request) {
	flush(w, x.lines(1090, 1150), `{"data":{"id":"1151","te`)
}

// reset tears the connection down once all before is stored.
func (x *fakeX) reset(w http.ResponseWriter, r *http.Request) {
	flush(w, x.lines(1140, 1200), `{"data":{"id":"1201"`)
	select {
	case <-x.stored:
	case <-r.Context().Done():
		return
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		x.t.Error(err)
		return
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

func (x *fakeX) webPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, "<html>"+r.Header.Get("Authorization"))
}

func (x *fakeX) disconnect(w http.ResponseWriter, r *http.Request) {
	flush(w, x.lines(1190, 1250), `{"errors":[{"title":"operational-disconnect","disconnect_type":"ForceDisconnect","detail":"token `+canary+`","type":"https://api.x.com/2/problems/operational-disconnect"}]}`+"\r\n")
	<-r.Context().Done()
}

func (x *fakeX) gzipCut(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	io.WriteString(z, x.lines(1240, 1300))
	z.Flush()
}

func (x *fakeX) goOn(w http.ResponseWriter, r *http.Request) {
	flush(w, x.lines(1290, 1400), `{"broken `+canary+"\r\n", x.lines(1401, 1401))
	<-r.Context().Done()
}

// matching sends what matches a rule; some of it the sample has too.
func (x *fakeX) matching(w http.ResponseWriter, r *http.Request) {
	flush(w, strings.ReplaceAll(x.lines(1350, 1450), `"includes"`, `"matching_rules":[{"id":"11","tag":"cats"}],"includes"`))
	<-r.Context().Done()
}

// serveRules keeps rules; those with "bad" in them it doesn't take.
func (x *fakeX) serveRules(w http.ResponseWriter, r *http.Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.Method == http.MethodGet:
		fmt.Fprintf(w, `{"data":[%s],"meta":{}}`, strings.Join(x.rules, ","))
	case bytes.Contains(body, []byte(`"delete"`)):
		x.rules = nil
		io.WriteString(w, `{"meta":{"summary":{"deleted":1,"not_deleted":0}}}`)
	default:
		x.rules = []string{`{"id":"11","value":"cat","tag":"cats"}`}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"data":[%s],"errors":[{"value":"bad:","title":"UnprocessableEntity","details":["not %s"]}]}`, x.rules[0], canary)
	}
}

// TestX reads both streams of an X API that misbehaves, with the real command:
// GraphQL finds each tweet that was sent whole, once, and the token stands in
// nothing that the program says or shows.
func TestX(t *testing.T) {
	t.Parallel()
	x := newFakeX(t)
	ops := freeAddress(t)
	var stderr lockedBuffer
	cmd, url := startX(t, &stderr, "--source", "x", "--source", "x:filtered", "--x-url", x.URL, "--ops-listen", ops, "--log-level", "debug")
	l := &line{t: t, url: url}
	eventually(t, "what was sent before the reset is stored", func() bool { return l.status().Stored == 201+101 })
	close(x.stored)
	eventually(t, "the rest is stored", func() bool { return l.status().Stored == 451 })
	x.mu.Lock()
	var want []string
	repeats := 0
	for id, n := range x.sent {
		want = append(want, id)
		repeats += n - 1
	}
	x.mu.Unlock()
	const halves, messages = 2, 1 // what the reset cut is no record
	all := int64(len(want) + repeats + halves + messages)
	eventually(t, "all is counted and nothing pending", func() bool { s := l.status(); return s.Received == all && s.Pending == 0 })
	got := l.ids()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	s := l.status()
	if diff := cmp.Diff(map[string]int64{"bad_json": halves}, s.rejected()); diff != "" || s.Updated+s.Duplicates != int64(repeats) {
		t.Errorf("status %+v, want %d repeats; rejected (-want +got):\n%s", s, repeats, diff)
	}
	metrics := get(t, "http://"+ops+"/metrics")
	for _, problem := range []string{"closed", "network", "no_stream", "ForceDisconnect"} {
		if !strings.Contains(metrics, `visualizer_ingest_disconnections_total{problem="`+problem+`"}`) {
			t.Errorf("the metrics have no disconnection of kind %s", problem)
		}
	}
	shown := map[string]string{
		"the metrics": metrics, "the arguments": get(t, "http://"+ops+"/debug/pprof/cmdline") + commandLines(t, cmd.Process.Pid),
		"the status": fmt.Sprint(ask[map[string]any](l, `{ stream { state source lastError rejected { reason } control { type } } }`, nil)),
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("stop: %v", err)
	}
	shown["the log"] = stderr.String()
	for what, text := range shown {
		if strings.Contains(text, canary) || text == "" {
			t.Errorf("%s is empty or has the token:\n%s", what, text)
		}
	}
	if !strings.Contains(shown["the log"], "the stream is down") || !strings.Contains(shown["the log"], "DEBUG") {
		t.Errorf("the log lacks what was to be looked through:\n%s", shown["the log"])
	}
}

// TestRulesCommand lists, adds and removes rules with the real command.
func TestRulesCommand(t *testing.T) {
	t.Parallel()
	x := newFakeX(t)
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"list", "ID  TAG  RULE\n", "", 0},
		{"add --tag cats cat bad:", "ID  TAG   RULE\n11  cats  cat\n", "1 added\nvisualizer rules add: add rule: \"bad:\": UnprocessableEntity: not [redacted]\n", 1},
		{"list", "ID  TAG   RULE\n11  cats  cat\n", "", 0},
		{"remove bird", "", "visualizer rules remove: remove rule \"bird\": there is no such id or value: look with visualizer rules list\n", 1},
		{"remove 11", "ID  TAG   RULE\n11  cats  cat\n", "1 removed\n", 0},
		{"", "", "visualizer rules: what to do with them is missing: give list, add RULE or remove ID\n", 2},
	} {
		args := append([]string{"rules"}, strings.Fields(c.args)...)
		if c.args != "" {
			args = append(args, "--x-url", x.URL)
		}
		cmd := selfCommand(t, args...)
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("rules %s: code %d, stdout %q, stderr %q; want %d, %q, %q", c.args, code, stdout.String(), stderr.String(), c.code, c.stdout, c.stderr)
		}
	}
}

// selfCommand is the visualizer command with the token in its environment.
func selfCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), journalVariable+"="+filepath.Join(t.TempDir(), "journal"), "VISUALIZER_X_BEARER_TOKEN="+canary)
	return cmd
}

// startX starts the command, waits until it is ready and returns where GraphQL
// is.
func startX(t *testing.T, stderr io.Writer, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := selfCommand(t, append(args, "--data", t.TempDir(), "--listen", "127.0.0.1:0")...)
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait(); client.CloseIdleConnections() })
	ready := make([]byte, 256)
	n, err := out.Read(ready)
	if err != nil {
		t.Fatalf("wait for the ready line: %v", err)
	}
	return cmd, graphqlURL(t, string(ready[:n]))
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// commandLines returns the arguments of a process, and the arguments and
// environments of those it has started.
func commandLines(t *testing.T, pid int) string {
	t.Helper()
	read := func(of, name string) string {
		text, err := os.ReadFile("/proc/" + of + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	self := strconv.Itoa(pid)
	text := read(self, "cmdline")
	threads, err := os.ReadDir("/proc/" + self + "/task")
	if err != nil {
		t.Fatal(err)
	}
	children := 0
	for _, thread := range threads {
		for _, child := range strings.Fields(read(self, "task/"+thread.Name()+"/children")) {
			text += read(child, "cmdline") + read(child, "environ")
			children++
		}
	}
	if children == 0 {
		t.Error("the command has no servers to look at")
	}
	return text
}

// lockedBuffer is a buffer that a process writes to while a test may read.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
