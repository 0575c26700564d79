package stack_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/rueidis"
	"go.uber.org/goleak"

	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
)

// mirror keeps the wheels that one test downloaded for the next.
var mirror string

func TestMain(m *testing.M) {
	if os.Getenv("STACK_HELPER") != "" {
		os.Exit(helper())
	}
	dir, err := os.MkdirTemp("", "stack-mirror-")
	if err != nil {
		panic(err)
	}
	mirror = dir
	code := m.Run()
	os.RemoveAll(dir)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// helper is this test binary as another program with servers of its own: it says
// so when they answer and closes them when its standard input ends. Ctrl-C is
// for its parent to test with.
func helper() int {
	signal.Ignore(os.Interrupt)
	s, err := stack.Start(context.Background(), stack.Config{
		Data:     os.Getenv("STACK_DATA"),
		CacheDir: os.Getenv("STACK_CACHE"),
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("ready", s.RedisURL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Close(); err != nil {
		fmt.Println("error", err)
		return 1
	}
	return 0
}

// other is a running helper.
type other struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   *bufio.Reader
}

// startOther starts a helper on data; prepare may change the command before.
func startOther(t *testing.T, data, cache string, prepare func(*exec.Cmd)) *other {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "STACK_HELPER=1", "STACK_DATA="+data, "STACK_CACHE="+cache)
	cmd.Stderr = t.Output()
	if prepare != nil {
		prepare(cmd)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := &other{cmd, stdin, bufio.NewReader(stdout)}
	t.Cleanup(func() { o.close() })
	return o
}

// url waits until the helper's servers answer.
func (o *other) url(t *testing.T) string {
	t.Helper()
	line, err := o.out.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ok {
		t.Fatalf("helper said %q, err %v", line, err)
	}
	return url
}

func (o *other) close() error {
	o.stdin.Close()
	return o.cmd.Wait()
}

func connect(t *testing.T, url string) rueidis.Client {
	t.Helper()
	c, err := rueidis.NewClient(rueidis.MustParseURL(url))
	if err != nil {
		t.Fatalf("connect to %s: %v", url, err)
	}
	t.Cleanup(c.Close)
	return c
}

func do(t *testing.T, c rueidis.Client, args ...string) rueidis.RedisResult {
	t.Helper()
	res := c.Do(t.Context(), c.B().Arbitrary(args...).Build())
	if err := res.Error(); err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return res
}

// info gives one field of INFO server, or "" while the server doesn't answer.
func info(t *testing.T, c rueidis.Client, field string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	text, _ := c.Do(ctx, c.B().Info().Section("server").Build()).ToString()
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			return v
		}
	}
	return ""
}

// found is how many documents the index finds.
func found(t *testing.T, c rueidis.Client) int64 {
	t.Helper()
	n, _, err := c.Do(t.Context(), c.B().Arbitrary("FT.SEARCH", "idx", "hello", "NOCONTENT").Build()).AsFtSearch()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func storeOne(t *testing.T, c rueidis.Client) {
	t.Helper()
	do(t, c, "FT.CREATE", "idx", "ON", "JSON", "PREFIX", "1", "tweet:", "SCHEMA", "$.text", "AS", "text", "TEXT")
	do(t, c, "JSON.SET", "tweet:1", "$", `{"text":"hello world"}`)
	// While a sync is under way Redis holds back what it writes to the AOF, but
	// not its answer: without this a kill may take the tweet with it.
	do(t, c, "WAITAOF", "1", "0", "5000")
}

func stream(t *testing.T, s *stack.Stack) (jetstream.JetStream, jetstream.Stream) {
	t.Helper()
	url, opts := s.NATS()
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	st, err := js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	if err != nil {
		t.Fatal(err)
	}
	return js, st
}

// syncBuffer is a log that may be read while it is written.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline, tick := time.After(60*time.Second), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("after a minute, still not: %s", what)
		case <-tick.C:
		}
	}
}

// refused starts servers that can't start and returns the one line that says why.
func refused(t *testing.T, cfg stack.Config) string {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	s, err := stack.Start(t.Context(), cfg)
	if err == nil {
		s.Close()
		t.Fatal("the servers were started")
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %v", err)
	}
	return err.Error()
}

func wantAll(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not contain %q", text, w)
		}
	}
}

func userCache(t *testing.T) string {
	t.Helper()
	stacktest.Start(t).Close() // fills it
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Skip("this user has no cache folder")
	}
	return filepath.Join(dir, "visualizer")
}
