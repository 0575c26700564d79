package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"visualizer/internal/allinone"
)

// stopStream and startStream send the mutation and return the state it tells.
func (l *line) stopStream() string {
	l.t.Helper()
	return ask[struct{ StopStream status }](l, `mutation { stopStream { state } }`, nil).StopStream.State
}

func (l *line) startStream() string {
	l.t.Helper()
	return ask[struct{ StartStream status }](l, `mutation { startStream { state } }`, nil).StartStream.State
}

// TestStopSurvives: what stopStream says holds over restarts, and from then on
// nothing is received; startStream ends it.
func TestStopSurvives(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cfg := func() *allinone.Settings { return settings(data, "sim") }
	l := start(t, cfg())
	eventually(t, "tweets are stored", func() bool { return l.status().Stored > 20 })
	if state := l.stopStream(); state != "STOPPED" {
		t.Fatalf("stopStream tells %s", state)
	}
	var before status
	eventually(t, "what was read is stored", func() bool { before = l.status(); return before.Pending == 0 })
	if state := l.stopStream(); state != "STOPPED" {
		t.Errorf("a second stopStream tells %s", state)
	}
	if s := l.status(); s.State != "STOPPED" || s.Received != before.Received {
		t.Errorf("after stopStream the status went from %+v to %+v", before, s)
	}
	found := len(l.ids())
	for range 2 {
		if err := l.stop(); err != nil {
			t.Fatal(err)
		}
		l = start(t, cfg())
		if s := l.status(); s.State != "STOPPED" || s.Received != 0 || len(l.ids()) != found {
			t.Errorf("started again, the status is %+v", s)
		}
	}
	if state := l.startStream(); state != "RUNNING" && state != "CONNECTING" {
		t.Errorf("startStream tells %s", state)
	}
	eventually(t, "tweets come again", func() bool { s := l.status(); return s.Stored > 20 && s.State == "RUNNING" })
	if state := l.startStream(); state != "RUNNING" {
		t.Errorf("a second startStream tells %s", state)
	}
}

// TestStartAfterFinished: then files are read from their first line again. A
// file that was stopped within goes on where it was.
func TestStartAfterFinished(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	const burst = 300
	l := start(t, settings(t.TempDir(), filepath.Join(casesDir, "58_sample_burst_300.jsonl"), pipe))
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	say := func(from, to int) {
		for id := from; id <= to; id++ {
			if _, err := fmt.Fprintf(w, "{\"id\":\"%d\",\"text\":\"t\"}\n", id); err != nil {
				t.Fatal(err)
			}
		}
	}
	say(1, 10)
	eventually(t, "the first lines are stored", func() bool { s := l.status(); return s.Stored == burst+10 && s.State == "RUNNING" })
	if state := l.startStream(); state != "RUNNING" {
		t.Errorf("startStream while it runs tells %s", state)
	}
	if state := l.stopStream(); state != "STOPPED" {
		t.Errorf("stopStream tells %s", state)
	}
	say(11, 20)
	if s := l.status(); s.Received != burst+10 || s.State != "STOPPED" {
		t.Errorf("stopped, the status is %+v", s)
	}
	l.startStream()
	w.Close()
	if s := l.finished(); s.Received != burst+20 || s.Stored != burst+20 {
		t.Errorf("after a stop and a start the status is %+v", s)
	}

	l.startStream()
	w, err = os.OpenFile(pipe, os.O_WRONLY, 0) // which waits for a reader
	if err != nil {
		t.Fatal(err)
	}
	say(20, 21)
	w.Close()
	if s := l.finished(); s.Received != 2*burst+22 || s.Stored != burst+21 {
		t.Errorf("read a second time, the status is %+v", s)
	}
	l.stopStream()
	if s := l.status(); s.State != "STOPPED" {
		t.Errorf("finished and stopped, the state is %s", s.State)
	}
}
