package stack_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/rueidis"

	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
)

func TestEverythingIsThereAtTheNextStart(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), `a "b" %20 [ü]*`, ".visualizer")
	s := stacktest.Start(t, stacktest.Data(data), stacktest.Graph())
	storeOne(t, connect(t, s.RedisURL()))
	do(t, connect(t, s.GraphURL()), "GRAPH.QUERY", "g", "CREATE (:U {name:'a'})-[:M]->(:U {name:'b'})")
	js, _ := stream(t, s)
	if _, err := js.Publish(t.Context(), "s", []byte("tweet")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = stacktest.Start(t, stacktest.Data(data), stacktest.Graph())
	if n := found(t, connect(t, s.RedisURL())); n != 1 {
		t.Errorf("found %d tweets, want 1", n)
	}
	g := do(t, connect(t, s.GraphURL()), "GRAPH.RO_QUERY", "g", "MATCH (:U)-[m:M]->(:U) RETURN count(m)")
	if text, err := g.ToAny(); err != nil || !strings.Contains(fmt.Sprint(text), "[[1]]") {
		t.Errorf("graph answers %v, %v; want one edge", text, err)
	}
	_, st := stream(t, s)
	if n := st.CachedInfo().State.Msgs; n != 1 {
		t.Errorf("stream has %d messages, want 1", n)
	}
	for path, want := range map[string]os.FileMode{data: 0o700, filepath.Join(data, "redis"): 0o700} {
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: mode %v, err %v; want %v", path, fi.Mode(), err, want)
		}
	}
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	s := stacktest.Start(t, stacktest.Data(data))
	c := connect(t, s.RedisURL())
	do(t, c, "PING")
	socket := rueidis.MustParseURL(s.RedisURL()).InitAddress[0]
	if strings.HasPrefix(socket, data) {
		t.Fatalf("socket %s is too long for other systems", socket)
	}
	if fi, err := os.Stat(filepath.Dir(socket)); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("socket's folder: mode %v, err %v; want 0700", fi.Mode(), err)
	}
	c.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(socket)); !os.IsNotExist(err) {
		t.Errorf("socket's folder after Close: %v; want none", err)
	}
}

func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	a, b := connect(t, stacktest.Start(t).RedisURL()), connect(t, stacktest.Start(t).RedisURL())
	do(t, a, "SET", "k", "a")
	do(t, b, "SET", "k", "b")
	if v, _ := do(t, a, "GET", "k").ToString(); v != "a" {
		t.Errorf("the first has k = %q, want its own", v)
	}
}

func TestOneProgramADataFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := stacktest.Start(t, stacktest.Data(data))
	wantAll(t, refused(t, stack.Config{Data: data}), data, "process "+strconv.Itoa(os.Getpid()), "choose another with --data")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	stacktest.Start(t, stacktest.Data(data))
}

func TestGivenURLsStartNothing(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s, err := stack.Start(t.Context(), stack.Config{
		Data: data, RedisURL: "redis://r:1", GraphURL: "redis://g:2", NATSURL: "nats://n:3", Graph: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url, opts := s.NATS()
	if s.RedisURL() != "redis://r:1" || s.GraphURL() != "redis://g:2" || url != "nats://n:3" || opts != nil {
		t.Errorf("got %s, %s, %s, %v", s.RedisURL(), s.GraphURL(), url, opts)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("data folder: %v; want none", err)
	}
}

func TestDataFolderThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	put(t, file, "", 0o600)
	put(t, filepath.Join(dir, "stale", "redis", "dump.rdb"), "REDIS", 0o600)
	put(t, filepath.Join(dir, "nats", "nats"), "", 0o600)
	for _, c := range []struct {
		name, data string
		want       []string
	}{
		{"none", "", []string{"--data"}},
		{"in a file", filepath.Join(file, "x"), []string{file, "not a directory", "--data"}},
		{"nats is a file", filepath.Join(dir, "nats"), []string{"not a directory", "--data"}},
		{"a snapshot that would be ignored", filepath.Join(dir, "stale"), []string{"dump.rdb", "move it away"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantAll(t, refused(t, stack.Config{Data: c.data}), c.want...) })
	}
}

func TestRefusedStartLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	dump := filepath.Join(data, "redis", "dump.rdb")
	put(t, dump, "REDIS", 0o600)
	refused(t, stack.Config{Data: data})
	if err := os.Remove(dump); err != nil {
		t.Fatal(err)
	}
	do(t, connect(t, stacktest.Start(t, stacktest.Data(data)).RedisURL()), "PING")
}

func TestBadAppendOnlyFileIsReported(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := stacktest.Start(t, stacktest.Data(data))
	storeOne(t, connect(t, s.RedisURL()))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(data, "redis", "appendonlydir", "*.incr.aof"))
	put(t, files[0], "nonsense\n", 0o600)
	wantAll(t, refused(t, stack.Config{Data: data}), "Bad file format", "server.log", "--redis-url")
}

// A library that can't be loaded stands for one that isn't installed.
func TestGraphIsOptional(t *testing.T) {
	libs := t.TempDir()
	put(t, filepath.Join(libs, "libgomp.so.1"), "", 0o600)
	t.Setenv("LD_LIBRARY_PATH", libs)
	var log bytes.Buffer
	s, err := stack.Start(t.Context(), stack.Config{
		Data: t.TempDir(), Graph: true, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.GraphURL() != "" {
		t.Errorf("graph URL %s, want none", s.GraphURL())
	}
	do(t, connect(t, s.RedisURL()), "FT._LIST")
	wantAll(t, log.String(), "level=WARN", "the mention graph is off", "libgomp.so.1", "install libgomp1, or give --graph-url")
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
