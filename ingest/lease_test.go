package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/internal/stack"
	"visualizer/schema"
)

// takeover is how long nobody may read after the reader has died.
const takeover = 10 * time.Second

func (s *servers) signal(pid int, sig syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		s.t.Fatal(err)
	}
}

// pause stops a process and returns once it does nothing any more.
func (s *servers) pause(pid int) {
	s.t.Helper()
	s.signal(pid, syscall.SIGSTOP)
	s.eventually("the process is stopped", func() bool {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		return err == nil && !slices.ContainsFunc(tasks, func(task string) bool {
			stat, err := os.ReadFile(task)
			return err == nil && !bytes.Contains(stat, []byte(") T "))
		})
	})
}

// settled waits until everything that was published is stored, and returns the
// status then.
func (s *servers) settled(least int64) *schema.Status {
	s.t.Helper()
	var last *schema.Status
	s.eventually("all is stored", func() bool {
		last = s.status()
		return last.Pending == 0 && last.Received >= least
	})
	return last
}

// TestOneReader: of several services one reads. When it is killed, another reads
// within seconds; when it ends, at once. Nothing that was acked is lost, and
// nothing is read twice.
func TestOneReader(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	a := s.child("a")
	s.eventually("a reads", func() bool { return s.up.reads("a") })
	s.child("b")
	first := s.up.send(500)
	s.settled(500)
	if s.up.connections("b") > 0 {
		t.Fatal("b reads beside a")
	}

	began := time.Now()
	s.signal(a.Process.Pid, syscall.SIGKILL)
	a.Wait()
	s.eventually("b reads", func() bool { return s.up.reads("b") })
	if took := time.Since(began); took > takeover {
		t.Errorf("b took over after %v", took)
	} else {
		t.Logf("b took over after %v", took)
	}
	second := s.up.send(500)
	s.settled(1000)

	c := s.child("c")
	d := s.child("d")
	s.signal(c.Process.Pid, syscall.SIGTERM) // one that waits may go
	if err := c.Wait(); err != nil {
		t.Errorf("c ended with %v", err)
	}
	third := s.up.send(500)
	s.settled(1500)
	if s.up.connections("b") != 1 || s.up.connections("c")+s.up.connections("d") > 0 {
		t.Error("another service than b has read")
	}
	s.signal(d.Process.Pid, syscall.SIGTERM)
	d.Wait()
	status := s.settled(1500)
	if status.Received != 1500 || status.Stored != 1500 || status.State != schema.StateRunning {
		t.Errorf("the status is %+v", status)
	}
	acked := s.acked()
	for _, id := range slices.Concat(first, second, third) {
		if s.document(id) == nil || acked[id] != 1 {
			t.Fatalf("tweet %s was published %d times, and stored is %v", id, acked[id], s.document(id))
		}
	}
}

// TestHandOver: a reader that ends leaves the reading to another at once.
func TestHandOver(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	a := s.child("a")
	s.eventually("a reads", func() bool { return s.up.reads("a") })
	s.child("b")
	ids := s.up.send(100)
	s.settled(100)
	began := time.Now()
	s.signal(a.Process.Pid, syscall.SIGTERM)
	s.eventually("b reads", func() bool { return s.up.reads("b") })
	if took := time.Since(began); took > leaseTime {
		t.Errorf("b took over after %v, as if a had been killed", took)
	}
	if err := a.Wait(); err != nil {
		t.Errorf("a ended with %v", err)
	}
	ids = append(ids, s.up.send(100)...)
	if status := s.settled(200); status.Stored != 200 || status.Received != 200 {
		t.Errorf("of %d tweets the status is %+v", len(ids), status)
	}
}

// TestPausedReader: a reader that was paused until another took over finds in
// its socket what the other has read long before. It publishes none of that,
// since it would take it for newer, and reads no more.
func TestPausedReader(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	a := s.child("a")
	s.eventually("a reads", func() bool { return s.up.reads("a") })
	s.child("b")
	s.up.send(100)
	s.settled(100)

	s.pause(a.Process.Pid)
	began := time.Now()
	s.up.sendTo("a", "5", 1) // waits in a's socket
	for range 200 {
		s.up.sendTo("a", "6", 1)
	}
	s.eventually("b reads", func() bool { return s.up.reads("b") })
	if took := time.Since(began); took > takeover {
		t.Errorf("b took over after %v", took)
	}
	s.up.sendTo("b", "5", 2)
	s.up.sendTo("b", "6", 2)
	s.settled(102)
	if doc := s.document("5"); doc == nil || *doc.Tweet.Metrics.Likes != 2 {
		t.Fatalf("tweet 5 is %+v", doc)
	}

	s.signal(a.Process.Pid, syscall.SIGCONT)
	s.eventually("a reads no more", func() bool { return !s.up.reads("a") })
	s.eventually("both are on the line", func() bool { return s.alive() == 2 })
	last := s.up.send(100)
	status := s.settled(202)
	if status.Received != 202 || status.Stored != 202 {
		t.Errorf("what a found in its socket was counted: %+v", status)
	}
	for _, id := range []string{"5", "6"} {
		if doc := s.document(id); *doc.Tweet.Metrics.Likes != 2 {
			t.Errorf("tweet %s went back to %d likes", id, *doc.Tweet.Metrics.Likes)
		}
	}
	if s.up.connections("a") != 1 || s.up.sent[last[0]] != 1 {
		t.Error("a reads again")
	}
}

// TestLeaseIsLost: a NATS that has lost its leases stops no reader.
func TestLeaseIsLost(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	s.child("a")
	s.eventually("a reads", func() bool { return s.up.reads("a") })
	url, opts, _ := stack.RunningNATS(s.data)
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteKeyValue(t.Context(), schema.BucketLeases); err != nil {
		t.Fatal(err)
	}
	lost := time.Now()
	sent := int64(0)
	s.eventually("the lease would have run out", func() bool {
		s.up.send(1)
		sent++
		return time.Since(lost) > leaseTime+time.Second
	})
	if status := s.settled(sent); status.Stored != sent || s.up.connections("a") != 1 {
		t.Errorf("of %d tweets in %d connections the status is %+v", sent, s.up.connections("a"), status)
	}
}
