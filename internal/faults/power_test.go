package faults

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPowerLoss cuts Redis' append-only file back to what was on disk, as a loss
// of power would: a killed process keeps what the kernel has. What JetStream was
// told is safe is still there, and what was not comes again.
func TestPowerLoss(t *testing.T) {
	f := newFeed(t, liveRate, time.Hour)
	r := newRig(t, f)
	s := r.ingest("first")
	eventually(t, "tweets are stored", func() bool { n, _ := s.metric("visualizer_ingest_written_tweets_total"); return n > liveRate })

	// What is written under always is on disk; under no nothing is any more.
	r.do("CONFIG", "SET", "auto-aof-rewrite-percentage", "0")
	r.do("CONFIG", "SET", "appendfsync", "always")
	r.confirm()
	r.do("CONFIG", "SET", "appendfsync", "no")
	file := r.appendOnlyFile()
	synced := sizeOf(t, file)
	before, _ := s.metric("visualizer_ingest_written_tweets_total")
	eventually(t, "more is written", func() bool {
		n, _ := s.metric("visualizer_ingest_written_tweets_total")
		return n > before+2*liveRate
	})

	pid := r.redisPID()
	r.signal(pid, syscall.SIGSTOP)
	eventually(t, "redis stands still", func() bool { return stateOf(pid) == "T" })
	lost := sizeOf(t, file) - synced
	if err := os.Truncate(file, synced); err != nil {
		t.Fatal(err)
	}
	r.signal(pid, syscall.SIGKILL)
	eventually(t, "another redis-server answers", func() bool { return r.redisPID() != pid })
	if lost < 100_000 {
		t.Errorf("only %d bytes are lost: the test shows nothing", lost)
	}
	t.Logf("%d bytes are lost", lost)
	time.Sleep(time.Second) // the stream goes on
	r.settle(s)
	r.check()
}

// appendOnlyFile is the file that Redis appends to.
func (r *rig) appendOnlyFile() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.data, "r", "redis", "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		r.t.Fatalf("append-only files: %s: %v", strings.Join(files, " "), err)
	}
	return files[0]
}

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
