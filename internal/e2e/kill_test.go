package e2e

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"visualizer/internal/cli"
	"visualizer/schema"
)

// process is this process as a command sees it.
func process(signals chan os.Signal) cli.Process {
	return cli.Process{Args: os.Args[1:], Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr, Signals: signals}
}

// TestKilled kills the all-in-one at random moments, starts it again on the
// same data, and in the end finds every tweet that JetStream had acked.
func TestKilled(t *testing.T) {
	t.Parallel()
	data, journal := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	const kills = 8
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for i := range kills {
		before := size(journal)
		cmd, ready := startChild(t, data, journal, "--source", "sim", "--rate", "1500")
		if i < 2 { // somewhere within the start
			time.Sleep(time.Duration(rng.IntN(700)) * time.Millisecond)
		} else {
			<-ready
			eventually(t, "tweets are acked", func() bool { return size(journal) > before+200_000 })
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		cmd.Wait()
		eventually(t, "no server is left behind", func() bool { return len(serversIn(t, data)) == 0 })
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := start(t, settings(data, empty))
	l.finished()
	checkJournal(t, l, journal, 1000)
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// startChild starts the all-in-one as a process of its own. ready is closed
// when it says so, or ends.
func startChild(t *testing.T, data, journal string, args ...string) (*exec.Cmd, <-chan struct{}) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append(args, "--data", data, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log-level", "error")...)
	cmd.Env = append(os.Environ(), journalVariable+"="+journal)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	go func() {
		defer close(ready)
		bufio.NewReader(out).ReadString('\n')
		go io.Copy(io.Discard, out)
	}()
	return cmd, ready
}

// serversIn returns the processes that work below a folder.
func serversIn(t *testing.T, dir string) (found []string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && strings.HasPrefix(cwd, dir) {
			found = append(found, link)
		}
	}
	return found
}

// checkJournal compares what JetStream had acked, at least some tweets, with
// what GraphQL finds.
func checkJournal(t *testing.T, l *line, journal string, least int) {
	t.Helper()
	acked, deleted, doomed := readJournal(t, journal)
	found := map[string]bool{}
	for _, id := range l.ids() {
		if found[id] {
			t.Errorf("tweet %s is found twice", id)
		}
		found[id] = true
		if deleted[id] {
			t.Errorf("tweet %s is deleted and found", id)
		}
	}
	missing, superseded := 0, 0
	for id, history := range acked {
		if found[id] || slices.ContainsFunc(append(history, id), func(v string) bool { return doomed[v] }) {
			continue
		}
		if tw := l.tweet(id); tw != nil && tw.SupersededBy != nil {
			superseded++
			continue
		}
		missing++
	}
	t.Logf("%d acked, %d deleted, %d superseded, %d found", len(acked), len(deleted), superseded, len(found))
	if missing > 0 {
		t.Errorf("%d of %d acked tweets are not there", missing, len(acked))
	}
	if len(acked) < least {
		t.Errorf("only %d tweets were acked: the test shows nothing", len(acked))
	}
}

// readJournal returns the acked tweets with the ids of their chains, the ids
// whose deletion was acked, and those whose deletion was sent, chains included:
// JetStream may have taken what it had no time to ack. A kill may have cut a
// line.
func readJournal(t *testing.T, path string) (acked map[string][]string, deleted, doomed map[string]bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	acked, deleted, doomed = map[string][]string{}, map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(data) {
		var b schema.Batch
		if len(line) < 2 || schema.Decode(line[1:], &b) != nil {
			continue
		}
		for _, e := range b.Events {
			switch {
			case e.Kind == schema.KindDelete:
				doomed[string(e.Notice.TweetID)] = true
				if line[0] == ackedMark {
					deleted[string(e.Notice.TweetID)] = true
				}
			case e.Kind == schema.KindTweet && line[0] == ackedMark:
				acked[e.Tweet.ID] = append(acked[e.Tweet.ID], e.Tweet.EditHistoryIDs...)
			}
		}
	}
	spread(acked, deleted)
	spread(acked, doomed)
	return acked, deleted, doomed
}

// spread adds the other versions of the tweets in set.
func spread(chains map[string][]string, set map[string]bool) {
	for again := true; again; {
		again = false
		for id, history := range chains {
			chain := append(slices.Clone(history), id)
			if !slices.ContainsFunc(chain, func(v string) bool { return set[v] }) {
				continue
			}
			for _, v := range chain {
				again = again || !set[v]
				set[v] = true
			}
		}
	}
}

// TestTerminated stops the all-in-one with a signal: it drains, exits 0 and
// leaves no server behind.
func TestTerminated(t *testing.T) {
	t.Parallel()
	data, journal := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	cmd, ready := startChild(t, data, journal, "--source", "sim", "--rate", "500")
	<-ready
	eventually(t, "tweets are acked", func() bool { return size(journal) > 300_000 })
	began := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %v", took)
	}
	if left := serversIn(t, data); len(left) > 0 {
		t.Errorf("servers are left: %v", left)
	}
	cfg := settings(data, filepath.Join(casesDir, "54_empty_file.jsonl"))
	l := start(t, cfg)
	began = time.Now()
	l.finished()
	// A message whose ack was lost would come again after ackWait.
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the next start had to wait %v for the end of what was stored", took)
	}
	checkJournal(t, l, journal, 50)
}
