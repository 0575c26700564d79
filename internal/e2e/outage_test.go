package e2e

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// pidOf returns the process of a Redis.
func pidOf(t *testing.T, client rueidis.Client) int {
	t.Helper()
	pid, err := tryPid(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func tryPid(ctx context.Context, client rueidis.Client) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	info, err := client.Do(ctx, client.B().Info().Section("server").Build()).ToString()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(regexp.MustCompile(`process_id:(\d+)`).FindStringSubmatch(info)[1])
}

func signalTo(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// code asks for a page and returns the error's code, "" for an answer.
func (l *line) code() (code, message, requestID string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a, err := try[struct{ Tweets *struct{ TotalCount int } }](ctx, l.url, `{ tweets { totalCount nodes { id } } }`, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	if len(a.Errors) == 0 {
		return "", "", ""
	}
	e := a.Errors[0]
	return e.Extensions.Code, e.Message, e.Extensions.RequestID
}

// TestRedisAway: while Redis hangs, many clients get an error within their
// deadline; while it is gone, they are told so; and all recovers by itself.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	const deadline = time.Second
	data := t.TempDir()
	cfg := settings(data, filepath.Join(casesDir, "58_sample_burst_300.jsonl"))
	cfg.Deadline = deadline
	l := start(t, cfg)
	l.finished()
	client := redisOf(t, data)
	defer client.Close()
	pid := pidOf(t, client)

	signalTo(t, pid, syscall.SIGSTOP)
	const clients = 400
	type result struct {
		code string
		took time.Duration
	}
	results := make(chan result, clients)
	for range clients {
		go func() {
			began := time.Now()
			code, _, _ := l.code()
			results <- result{code, time.Since(began)}
		}()
	}
	for range clients {
		// The machine may be busy, hence the reserve; what hangs takes longer.
		if r := <-results; r.code != "TIMEOUT" || r.took > 5*deadline {
			t.Errorf("with a hung Redis: %q after %v, want TIMEOUT after %v", r.code, r.took, deadline)
		}
	}
	signalTo(t, pid, syscall.SIGCONT)
	eventually(t, "it answers again", func() bool { code, _, _ := l.code(); return code == "" })

	signalTo(t, pid, syscall.SIGKILL)
	eventually(t, "another Redis is started", func() bool { other, err := tryPid(t.Context(), client); return err == nil && other != pid })
	eventually(t, "it answers", func() bool {
		code, message, _ := l.code()
		if code != "" && code != "SERVICE_UNAVAILABLE" && code != "TIMEOUT" {
			t.Fatalf("with a killed Redis: %s, %s", code, message)
		}
		return code == ""
	})
	if ids := l.ids(); len(ids) != 300 {
		t.Errorf("after all this %d tweets are found", len(ids))
	}
}

// TestInternalError: what went wrong inside is not shown, but can be found in
// the log by the request's id.
func TestInternalError(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	l := startLineOn(t, data, filepath.Join(casesDir, "01_v2_default_fields.jsonl"))
	client := redisOf(t, data)
	defer client.Close()
	broken := `{"t":{"id":"5","createdAt":"now"},"ix":{"createdAt":1,"seq":1,"lo":1,"hasGeo":"0"},"own":true}`
	if err := client.Do(t.Context(), client.B().JsonSet().Key(schema.TweetKey("5")).Path("$").Value(broken).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	code, message, requestID := l.code()
	if code != "INTERNAL_SERVER_ERROR" || message != "internal error" || requestID == "" {
		t.Errorf("a broken document gives code %q, message %q, request %q", code, message, requestID)
	}
}

// TestFence: what is found but not on disk is not acked. With a Redis that
// never syncs the line can't finish; once Redis syncs, it does.
func TestFence(t *testing.T) {
	t.Parallel()
	data, pipe := t.TempDir(), filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l := start(t, settings(data, pipe))
	client := redisOf(t, data)
	defer client.Close()
	policy := func(p string) {
		if err := client.Do(t.Context(), client.B().ConfigSet().ParameterValue().ParameterValue("appendfsync", p).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	policy("no")
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString(strings.Repeat(`{"id":"7","text":"not on disk"}`+"\n", 3)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	eventually(t, "the tweet is found", func() bool { return l.tweet("7") != nil })
	until := time.Now().Add(3 * time.Second) // an everysec sync would have come
	eventually(t, "time has passed", func() bool {
		if s := l.status(); s.State == "FINISHED" {
			t.Fatal("the line is finished, and nothing is on disk")
		}
		return time.Now().After(until)
	})
	policy("everysec")
	if s := l.finished(); s.Stored != 1 || s.Duplicates != 2 {
		t.Errorf("the same line three times is counted as %+v", s)
	}
}

// TestStopWhileRedisHangs: a stop is bounded, and leaves nothing behind.
func TestStopWhileRedisHangs(t *testing.T) {
	t.Parallel()
	data, journal := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	cmd, ready := startChild(t, data, journal, "--source", "sim", "--rate", "200")
	<-ready
	eventually(t, "tweets are acked", func() bool { return size(journal) > 100_000 })
	client := redisOf(t, data)
	pid := pidOf(t, client)
	client.Close()
	signalTo(t, pid, syscall.SIGSTOP)
	began := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if took := time.Since(began); err != nil || took > 12*time.Second {
		t.Errorf("stopping took %v and ended with %v", took, err)
	}
	if left := serversIn(t, data); len(left) > 0 {
		t.Errorf("servers are left: %v", left)
	}
}
