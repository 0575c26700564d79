package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"

	"visualizer/ingest/source"
	"visualizer/internal/line"
	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// What a child is told by its environment.
const (
	childVariable    = "INGEST_CHILD" // its name, by which the upstream knows it
	dataVariable     = "INGEST_DATA"  // of the servers
	upstreamVariable = "INGEST_UPSTREAM"
	redisVariable    = "INGEST_REDIS"
	journalVariable  = "INGEST_JOURNAL" // batches that JetStream has acked
	fileVariable     = "INGEST_FILE"    // a second source, if set
)

// child is what the test binary does instead of testing when a test started it
// as a process to be killed or paused: it is an ingest service with a live
// source.
func child() {
	name := os.Getenv(childVariable)
	if name == "" {
		return
	}
	if err := serveChild(name); err != nil {
		fmt.Fprintln(os.Stderr, name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serveChild(name string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	token, err := source.NewToken(name)
	if err != nil {
		return err
	}
	x := &watched{}
	x.X, err = source.NewX(source.XConfig{URL: os.Getenv(upstreamVariable), Token: token, OnState: x.tell})
	if err != nil {
		return err
	}
	journal, err := os.OpenFile(os.Getenv(journalVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	url, opts, ok := stack.RunningNATS(os.Getenv(dataVariable))
	if !ok {
		return fmt.Errorf("no nats on %s", os.Getenv(dataVariable))
	}
	sources := []source.Source{x}
	if name := os.Getenv(fileVariable); name != "" {
		file, err := source.Open(name)
		if err != nil {
			return err
		}
		sources = append(sources, file)
	}
	s, err := New(ctx, Config{
		Sources: sources, RedisURL: os.Getenv(redisVariable), NATSURL: url, NATSOptions: opts,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), Metrics: prometheus.NewRegistry(),
		Published: func(batch []byte, acked bool) {
			if acked {
				journal.Write(append(batch, '\n'))
			}
		},
	})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run(ctx)
}

// watched makes the client for X a source whose connection can be watched.
type watched struct {
	*source.X
	watch func(schema.StreamState, error)
}

func (w *watched) Watch(watch func(schema.StreamState, error)) { w.watch = watch }

func (w *watched) tell(s schema.StreamState, err error) { w.watch(s, err) }

// servers are what several services share.
type servers struct {
	t       *testing.T
	data    string
	redis   rueidis.Client
	url     string
	journal string
	up      *upstream
}

func startServers(t *testing.T) *servers {
	t.Helper()
	data, err := os.MkdirTemp("", "v") // short, so that NATS gets a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	s := stacktest.Start(t, stacktest.Data(data))
	return &servers{
		t: t, data: data, redis: stacktest.Redis(t, s), url: s.RedisURL(),
		journal: filepath.Join(t.TempDir(), "journal"), up: newUpstream(t),
	}
}

// child starts a service as a process of its own, and returns once it is on the
// line.
func (s *servers) child(name string, env ...string) *exec.Cmd {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	before := s.alive()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+name, dataVariable+"="+s.data, upstreamVariable+"="+s.up.url,
		redisVariable+"="+s.url, journalVariable+"="+s.journal)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = s.t.Output()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	s.eventually(name+" is on the line", func() bool { return s.alive() > before })
	return cmd
}

// alive is how many services say that they are.
func (s *servers) alive() int {
	s.t.Helper()
	services, err := line.Services(s.t.Context(), s.redis)
	if err != nil {
		s.t.Fatal(err)
	}
	return len(services)
}

func (s *servers) status() *schema.Status {
	s.t.Helper()
	status, err := line.Status(s.t.Context(), s.redis)
	if err != nil {
		s.t.Fatal(err)
	}
	return status
}

// document returns a stored tweet, nil when it isn't stored.
func (s *servers) document(id string) *schema.Document {
	s.t.Helper()
	m, err := s.redis.Do(s.t.Context(), s.redis.B().JsonGet().Key(schema.TweetKey(id)).Path(".").Build()).ToMessage()
	if rueidis.IsRedisNil(err) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	doc, err := readDocument(m)
	if err != nil {
		s.t.Fatal(err)
	}
	return doc
}

// acked returns the ids of the tweets that JetStream has acked to any child, as
// often as it has.
func (s *servers) acked() map[string]int {
	s.t.Helper()
	data, err := os.ReadFile(s.journal)
	if err != nil {
		s.t.Fatal(err)
	}
	ids := map[string]int{}
	for text := range strings.Lines(string(data)) {
		var b schema.Batch
		if schema.Decode([]byte(text), &b) != nil {
			continue // cut by a kill
		}
		for _, e := range b.Events {
			ids[e.Tweet.ID]++
		}
	}
	return ids
}

// patience bounds every wait; it is long because the machine may be busy.
const patience = 60 * time.Second

func (s *servers) eventually(what string, ok func() bool) {
	s.t.Helper()
	eventually(s.t, what, ok)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("after %v it is not so that %s", patience, what)
		case <-tick.C:
		}
	}
}
