package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const sigterm = syscall.SIGTERM

// canRun says whether servers can be started here at all.
func canRun() error { return nil }

// childAttr ties the child's life to this process. Its own process group keeps
// the terminal's Ctrl-C from it: it has to outlive our clients while they drain.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// evict returns when no redis-server works in dir: neither one of a program that
// was killed a moment ago nor a snapshot that one has forked. Two at once would
// write over each other's files. What stays longer than patience is killed.
//
// The working folder tells them, not a pid file: it can't be stale, and it finds
// the forks too.
func evict(ctx context.Context, dir string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		pids := working(dir)
		if len(pids) == 0 {
			return nil
		}
		late := time.Since(deadline)
		if late >= 0 {
			killAll(pids, dir)
		}
		if late > leavePatience {
			return fmt.Errorf("process %d works there and can't be ended", pids[0])
		}
		select {
		case <-time.After(minPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func working(dir string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && worksIn(pid, dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// worksIn is false for a process that has ended, also when nobody has waited for
// it yet: that has no folder any more.
func worksIn(pid int, dir string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	if err != nil || cwd != dir {
		return false
	}
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	return err == nil && strings.Contains(filepath.Base(exe), "redis")
}

// killAll looks again once it holds a handle, so that a pid which was given to
// another process meanwhile is safe.
func killAll(pids []int, dir string) {
	for _, pid := range pids {
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if worksIn(pid, dir) {
			_ = p.Kill()
		}
		_ = p.Release()
	}
}
