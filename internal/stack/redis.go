package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
	// healthyAfter is how long a server must have run for its next death to
	// be a first one.
	healthyAfter = 10 * time.Second
	// leavePatience is how long a server of an earlier, killed program may
	// take to end by itself. It was sent SIGKILL, so it is only a moment.
	leavePatience = 2 * time.Second
	// maxSocketPath stays below what the kernel takes for a socket, 107 bytes.
	maxSocketPath = 100
)

var quiet = slog.New(slog.DiscardHandler)

// redisServer is a redis-server process that is started again when it dies.
type redisServer struct {
	role    role
	bin     program
	dir     string
	socket  string
	sockDir string // made for the socket, or ""
	log     *slog.Logger

	stopping chan struct{} // closed by the first stop
	done     chan struct{} // closed when no process runs and none will
	err      error         // why it ended before it was ready; read after done

	mu    sync.Mutex
	proc  *os.Process // the running one
	ready bool        // it has answered once
	over  bool        // it ended before it was ready
}

// startRedis runs the program in dir and returns when it answers. Loading what
// dir holds has no time limit of its own: a million tweets take over a minute.
func startRedis(ctx context.Context, r role, bin program, dir string, log *slog.Logger) (*redisServer, error) {
	s := &redisServer{
		role: r, bin: bin, dir: dir, log: log.With("server", r.name),
		stopping: make(chan struct{}), done: make(chan struct{}),
	}
	if err := s.prepare(ctx); err != nil {
		s.removeSocket()
		return nil, fmt.Errorf("start %s server in %s: %w", r.name, dir, err)
	}
	go s.supervise()
	if err := s.awaitReady(ctx); err != nil {
		_ = s.stop(stopTime)
		return nil, fmt.Errorf("start %s server in %s: %w", r.name, dir, err)
	}
	return s, nil
}

func (s *redisServer) prepare(ctx context.Context) error {
	if s.role.appendOnly && exists(filepath.Join(s.dir, "dump.rdb")) && !exists(filepath.Join(s.dir, "appendonlydir")) {
		// Redis would ignore the snapshot, start empty and let it rot.
		return errors.New("dump.rdb lies there without appendonlydir and would not be loaded: move it away")
	}
	if err := evict(ctx, s.dir, leavePatience); err != nil {
		return err
	}
	if err := s.chooseSocket(); err != nil {
		return err
	}
	// One that a killed server left would look like the next one's.
	_ = os.Remove(s.socket)
	return os.WriteFile(s.confPath(), []byte(s.conf()), 0o600)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// chooseSocket puts the socket beside the data, or, where that path is too long
// for a socket, into a folder of its own that only this user can enter.
func (s *redisServer) chooseSocket() (err error) {
	s.socket = filepath.Join(s.dir, "redis.sock")
	if len(s.socket) <= maxSocketPath {
		return nil
	}
	tmp := os.TempDir()
	if len(tmp) > maxSocketPath/2 {
		tmp = "/tmp"
	}
	if s.sockDir, err = os.MkdirTemp(tmp, "visualizer-"); err != nil {
		return err
	}
	s.socket = filepath.Join(s.sockDir, "redis.sock")
	return nil
}

// url escapes the path, so that a space or a percent sign survives parsing.
func (s *redisServer) url() string {
	u := url.URL{Scheme: "unix", Path: s.socket}
	return u.String()
}

func (s *redisServer) confPath() string { return filepath.Join(s.dir, "redis.conf") }

func (s *redisServer) conf() string {
	lines := []string{
		"port 0",
		"unixsocket " + quote(s.socket),
		"unixsocketperm 700",
		"dir " + quote(s.dir),
		"daemonize no",
		`logfile ""`,
		// A crash must not be followed by minutes of testing memory.
		"crash-memcheck-enabled no",
		"maxmemory-policy noeviction",
	}
	lines = append(lines, s.role.settings...)
	for _, m := range s.bin.modules {
		lines = append(lines, strings.TrimSpace("loadmodule "+quote(m.file)+" "+m.args))
	}
	return strings.Join(lines, "\n") + "\n"
}

// quote writes a string as redis.conf reads it.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + `"`
}

// supervise runs the server again and again until it is stopped, or until it
// ends before it was ever ready.
func (s *redisServer) supervise() {
	defer close(s.done)
	// The kernel kills the child when the thread that forked it ends, not
	// when the process does: this thread must live as long as the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		began := time.Now()
		why := s.runOnce()
		if s.isStopping() {
			return
		}
		if s.giveUp() {
			s.err = why
			return
		}
		if time.Since(began) > healthyAfter {
			backoff = minBackoff
		}
		s.log.Warn("redis-server died and is started again", "after", backoff, "err", why)
		select {
		case <-time.After(backoff):
		case <-s.stopping:
			return
		}
	}
}

// runOnce starts one process and returns why it ended.
func (s *redisServer) runOnce() error {
	// A snapshot or rewrite that a dead server had forked may still write.
	if err := evict(context.Background(), s.dir, 0); err != nil {
		return err
	}
	out, err := openLog(s.dir)
	if err != nil {
		return err
	}
	defer out.Close()
	conf, err := os.Open(s.confPath())
	if err != nil {
		return err
	}
	defer conf.Close()
	// Redis takes a path with * or [ for a pattern, and starts with defaults
	// when it matches nothing: so it reads its settings from standard input.
	cmd := exec.Command(s.bin.server, "-")
	cmd.Dir = s.dir
	cmd.Env = childEnv()
	cmd.Stdin = conf
	// Files, not writers: a pipe would tie Wait to what the server forks.
	cmd.Stdout, cmd.Stderr = out.File, out.File
	cmd.SysProcAttr = childAttr()
	if err := s.launch(cmd); err != nil {
		return fmt.Errorf("run %s: %w", s.bin.server, cause(err))
	}
	err = cmd.Wait()
	s.mu.Lock()
	s.proc = nil
	s.mu.Unlock()
	return fmt.Errorf("%s: %s", exitReason(err), out.reasons())
}

// launch starts the process unless a stop came first; after a stop nobody would
// end it.
func (s *redisServer) launch(cmd *exec.Cmd) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isStopping() {
		return context.Canceled
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.proc = cmd.Process
	return nil
}

func exitReason(err error) string {
	if err == nil {
		return "it ended"
	}
	return err.Error()
}

func (s *redisServer) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// markReady is false when the server has ended for good meanwhile.
func (s *redisServer) markReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = !s.over
	return s.ready
}

// giveUp is true for a server that was never ready: what stopped it will again.
func (s *redisServer) giveUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = !s.ready
	return s.over
}

// stop asks the server to end, on which it writes out what it holds, and kills
// it when the limit has passed. It is called once.
func (s *redisServer) stop(limit time.Duration) error {
	s.mu.Lock()
	close(s.stopping)
	s.signal(sigterm)
	s.mu.Unlock()
	defer s.removeSocket()
	select {
	case <-s.done:
		return nil
	case <-time.After(limit):
	}
	s.mu.Lock()
	s.signal(os.Kill)
	s.mu.Unlock()
	<-s.done
	return fmt.Errorf("stop %s server: still busy after %s: killed", s.role.name, limit)
}

// signal needs mu. A process that has ended meanwhile is what we want.
func (s *redisServer) signal(sig os.Signal) {
	if s.proc != nil {
		_ = s.proc.Signal(sig)
	}
}

func (s *redisServer) removeSocket() {
	if s.socket == "" {
		return
	}
	_ = os.Remove(s.socket)
	if s.sockDir != "" {
		_ = os.Remove(s.sockDir)
	}
}

// childEnv is this process's environment without its settings, some of which
// are secrets.
func childEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "VISUALIZER_") {
			env = append(env, kv)
		}
	}
	return env
}
