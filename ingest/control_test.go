package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"visualizer/internal/line"
	"visualizer/schema"
)

// TestStopAndStart: stopStream closes the connection of whoever reads, in
// whatever service, and keeps all from reading, those that start later as well;
// startStream has one of them read. Neither does anything a second time.
func TestStopAndStart(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	stream := line.NewStream(s.redis)
	change := func(act func() (*schema.Status, error), want ...schema.StreamState) {
		t.Helper()
		status, err := act()
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range want {
			if status.State == state {
				return
			}
		}
		t.Errorf("the state is %s, want %v", status.State, want)
	}
	stop := func() (*schema.Status, error) { return stream.Stop(t.Context()) }
	start := func() (*schema.Status, error) { return stream.Start(t.Context()) }
	version := func() int64 {
		c, err := line.Control(t.Context(), s.redis)
		if err != nil {
			t.Fatal(err)
		}
		return c.Version
	}

	change(stop, schema.StateStopped) // nothing runs yet
	a := s.child("a")
	b := s.child("b")
	if s.up.reads("a") || s.up.reads("b") || s.status().State != schema.StateStopped {
		t.Fatal("a service reads that was started stopped")
	}
	change(start, schema.StateConnecting, schema.StateRunning)
	reads := func() bool { return s.up.reads("a") != s.up.reads("b") && s.status().State == schema.StateRunning }
	s.eventually("one reads", reads)
	change(start, schema.StateRunning)
	if version() != 2 {
		t.Errorf("a second start changed something: version %d", version())
	}
	s.up.send(100)
	s.settled(100)

	change(stop, schema.StateStopped)
	s.eventually("none reads", func() bool { return !s.up.reads("a") && !s.up.reads("b") })
	change(stop, schema.StateStopped)
	if version() != 3 {
		t.Errorf("a second stop changed something: version %d", version())
	}
	s.up.send(100) // to nobody
	s.signal(a.Process.Pid, syscall.SIGKILL)
	a.Wait()
	a = s.child("a2")
	if status := s.status(); status.State != schema.StateStopped || status.Received != 100 || s.up.connections("a2") > 0 {
		t.Errorf("stopped, with a service that has started again, the status is %+v", status)
	}

	change(start, schema.StateConnecting, schema.StateRunning)
	s.eventually("one reads", func() bool { return s.up.reads("a2") != s.up.reads("b") && s.status().State == schema.StateRunning })
	s.up.send(100)
	if status := s.settled(200); status.Received != 200 {
		t.Errorf("the status is %+v", status)
	}
	s.up.hangUp()
	s.eventually("the line tells that it reconnects, or did", func() bool {
		return s.status().LastError != "" && (s.status().State == schema.StateReconnecting || s.up.reads("a2") != s.up.reads("b"))
	})
	for _, cmd := range []int{a.Process.Pid, b.Process.Pid} {
		s.signal(cmd, syscall.SIGTERM)
	}
	a.Wait()
	b.Wait()
	s.eventually("the line is off", func() bool { return s.status().State == schema.StateOffline })
}

// TestStartsTogether: of many calls that come together, one makes the change.
func TestStartsTogether(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if status, err := line.NewStream(s.redis).Stop(t.Context()); err != nil || status.State != schema.StateStopped {
				t.Errorf("stop: %+v, %v", status, err)
			}
		})
	}
	calls.Wait()
	if c, err := line.Control(t.Context(), s.redis); err != nil || c.Version != 1 {
		t.Errorf("after 8 stops together control is %+v (%v)", c, err)
	}
}

// TestFilesOfTwo: each of two services reads all of its own file, whoever reads
// the live source.
func TestFilesOfTwo(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	dir := t.TempDir()
	for i, name := range []string{"a", "b"} {
		var text strings.Builder
		for n := range 1000 {
			text.WriteString(tweetLine(fmt.Sprint(10_000*(i+1)+n), 1) + "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.child("a", fileVariable+"="+filepath.Join(dir, "a"))
	s.child("b", fileVariable+"="+filepath.Join(dir, "b"))
	if status := s.settled(2000); status.Stored != 2000 || status.Received != 2000 {
		t.Errorf("of two files with 1,000 tweets each the status is %+v", status)
	}
	s.eventually("one reads", func() bool { return s.up.reads("a") != s.up.reads("b") })
}
