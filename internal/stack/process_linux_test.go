package stack_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
)

var quiet = slog.New(slog.DiscardHandler)

func pidOf(t *testing.T, c rueidis.Client) int {
	t.Helper()
	pid, err := strconv.Atoi(info(t, c, "process_id"))
	if err != nil {
		t.Fatalf("server's pid: %v", err)
	}
	return pid
}

// alive is false for a process that only waits to be waited for.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && !bytes.HasPrefix(state, []byte("Z"))
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("send %v to %d: %v", sig, pid, err)
	}
}

func TestKilledServerComesBack(t *testing.T) {
	t.Parallel()
	s := stacktest.Start(t, stacktest.Graph())
	c, g := connect(t, s.RedisURL()), connect(t, s.GraphURL())
	storeOne(t, c)
	for range 2 { // the second death finds the supervisor in its loop
		for _, c := range []rueidis.Client{c, g} {
			old := pidOf(t, c)
			kill(t, old, syscall.SIGKILL)
			eventually(t, "another server answers", func() bool {
				pid := info(t, c, "process_id")
				return pid != "" && pid != strconv.Itoa(old)
			})
		}
	}
	eventually(t, "the tweet is found", func() bool { return found(t, c) == 1 })
}

func TestServersEndWithTheirKilledParent(t *testing.T) {
	t.Parallel()
	o := startOther(t, t.TempDir(), "", nil)
	pid := pidOf(t, connect(t, o.url(t)))
	kill(t, o.cmd.Process.Pid, syscall.SIGKILL)
	eventually(t, "the redis-server is gone too", func() bool { return !alive(pid) })
}

func TestStartRightAfterAKill(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	o := startOther(t, data, "", nil)
	c := connect(t, o.url(t))
	storeOne(t, c)
	pid := pidOf(t, c)
	c.Close()
	kill(t, o.cmd.Process.Pid, syscall.SIGKILL)
	// Not waiting for either is the point: the next start does.
	s := stacktest.Start(t, stacktest.Data(data))
	if alive(pid) {
		t.Errorf("redis-server %d still runs beside the new one", pid)
	}
	if n := found(t, connect(t, s.RedisURL())); n != 1 {
		t.Errorf("found %d tweets, want 1", n)
	}
}

// A snapshot is written by a fork, which neither a kill of its server nor one of
// this program ends, and which would put an old snapshot over a newer one.
func TestForkedSnapshotEndsBeforeTheNextServer(t *testing.T) {
	t.Parallel()
	c := connect(t, stacktest.Start(t, stacktest.Graph()).GraphURL())
	do(t, c, "MSET", "a", "1", "b", "2")
	do(t, c, "CONFIG", "SET", "rdb-key-save-delay", "60000000") // a minute a key
	do(t, c, "BGSAVE")
	pid := pidOf(t, c)
	fork := childOf(t, pid)
	kill(t, pid, syscall.SIGKILL)
	if !alive(fork) {
		t.Fatalf("the fork %d ended with its server and proves nothing", fork)
	}
	eventually(t, "another server answers", func() bool { return info(t, c, "process_id") != "" })
	if alive(fork) {
		t.Errorf("the fork %d still writes", fork)
	}
}

func childOf(t *testing.T, pid int) int {
	t.Helper()
	id := strconv.Itoa(pid)
	list, err := os.ReadFile(filepath.Join("/proc", id, "task", id, "children"))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(list)))
	if err != nil {
		t.Fatalf("children of %d: %q", pid, list)
	}
	return child
}

func TestCrashIsReported(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	s, err := stack.Start(t.Context(), stack.Config{Data: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kill(t, pidOf(t, connect(t, s.RedisURL())), syscall.SIGSEGV)
	eventually(t, "the log tells of it", func() bool { return log.String() != "" })
	wantAll(t, log.String(), "level=WARN", "redis-server died", "server=redis", "crashed by signal: 11")
}

// Ctrl-C in a terminal reaches the whole process group; the servers have to live
// until their clients are done.
func TestCtrlCDoesNotReachTheServers(t *testing.T) {
	t.Parallel()
	o := startOther(t, t.TempDir(), "", func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	})
	c := connect(t, o.url(t))
	pid := pidOf(t, c)
	if group, err := syscall.Getpgid(pid); err != nil || group == o.cmd.Process.Pid {
		t.Errorf("redis-server is in process group %d, err %v; want another than its parent's", group, err)
	}
	kill(t, -o.cmd.Process.Pid, syscall.SIGINT)
	if now := pidOf(t, c); now != pid {
		t.Errorf("server %d was replaced by %d", pid, now)
	}
	c.Close()
	if err := o.close(); err != nil {
		t.Errorf("helper: %v", err)
	}
	if alive(pid) {
		t.Errorf("redis-server %d outlived Close", pid)
	}
}

func TestServerThatOutlivedItsParentIsEnded(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := stacktest.Start(t, stacktest.Data(data))
	bin := info(t, connect(t, s.RedisURL()), "executable")
	s.Close()
	var log bytes.Buffer
	old := exec.Command(bin, "--port", "0", "--unixsocket", filepath.Join(t.TempDir(), "old"), "--save", "")
	old.Dir, old.Stdout = filepath.Join(data, "redis"), &log
	if err := old.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- old.Wait() }()
	s = stacktest.Start(t, stacktest.Data(data))
	if err := <-ended; err == nil || err.Error() != "signal: killed" {
		t.Errorf("the old server: %v, want killed; its log:\n%s", err, &log)
	}
	do(t, connect(t, s.RedisURL()), "PING")
}

func TestCloseKillsAServerThatHangs(t *testing.T) {
	t.Parallel()
	s, err := stack.Start(t.Context(), stack.Config{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s.RedisURL())
	pid := pidOf(t, c)
	c.Close()
	kill(t, pid, syscall.SIGSTOP)
	began := time.Now()
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Close: %v, want an error that says killed", err)
	}
	if took := time.Since(began); took > 9*time.Second {
		t.Errorf("Close took %v", took)
	}
	if alive(pid) {
		t.Errorf("redis-server %d is still there", pid)
	}
}

// A user without a home and without rights to ours: everything goes below Data.
func TestPlainUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this test run is by a plain user already")
	}
	t.Parallel()
	const nobody = 65534
	home, err := os.MkdirTemp("", "stack nobody ")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	copyTo(t, userCache(t), filepath.Join(home, "data", "cache"))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copyTo(t, exe, filepath.Join(home, "helper"))
	if out, err := exec.Command("chown", "-R", strconv.Itoa(nobody), home).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data := filepath.Join(home, "data")
	o := startOther(t, data, "", func(cmd *exec.Cmd) {
		cmd.Path, cmd.Dir = filepath.Join(home, "helper"), home
		cmd.Env = append(cmd.Env, "HOME=/nonexistent", "XDG_CACHE_HOME=")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	})
	c := connect(t, o.url(t))
	storeOne(t, c)
	fi, err := os.Stat(filepath.Join("/proc", info(t, c, "process_id")))
	if err != nil || fi.Sys().(*syscall.Stat_t).Uid != nobody {
		t.Errorf("redis-server doesn't run as the plain user: %v", err)
	}
	c.Close()
	if err := o.close(); err != nil {
		t.Errorf("helper: %v", err)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-r", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy %s: %v: %s", from, err, out)
	}
}

// A limit on the size of files stands for a full disk: it fails the writes of
// this process, NATS among them, and is lifted again. It isn't parallel because
// it would fail other tests' writes too.
func TestJetStreamTakesMessagesAgainAfterAFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	s, err := stack.Start(t.Context(), stack.Config{Data: t.TempDir(), RedisURL: "redis://unused", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	js, st := stream(t, s)
	msg := make([]byte, 64<<10)
	publish := func() error {
		// A message that can't be stored gets no answer at all.
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := js.Publish(ctx, "s", msg)
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	full := syscall.Rlimit{Cur: 256 << 10, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	stored := uint64(0)
	eventually(t, "the disk is full", func() bool {
		err := publish()
		if err == nil {
			stored++
		}
		return err != nil
	})
	if err := publish(); err == nil {
		t.Error("a second message was taken: the fault is over by itself and proves nothing")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a message is taken again", func() bool { return publish() == nil })
	eventually(t, "every acknowledged message is there", func() bool {
		si, err := st.Info(t.Context())
		return err == nil && si.State.Msgs == stored+1
	})
}
