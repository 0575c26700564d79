package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockPatience is how long a start waits for the folder.
const lockPatience = time.Second

// lockData takes the folder for this process. The kernel frees the lock when the
// process ends, however it ends; the file stays, because removing it would let
// two programs lock two different files of one name.
func lockData(ctx context.Context, dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, "lock")
	lock := flock.New(path, flock.SetPermissions(0o600))
	// A program that was killed a moment ago may hold it a little longer.
	wait, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	_, err := lock.TryLockContext(wait, minPoll)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, fmt.Errorf("lock data folder %s: %w", dir, ctx.Err())
	case wait.Err() != nil:
		return nil, fmt.Errorf("lock data folder %s: %s uses it: choose another with --data", dir, holder(path))
	default:
		return nil, fmt.Errorf("lock data folder %s: %w: choose another with --data", dir, cause(err))
	}
	// The pid is for the message above only; the lock doesn't depend on it.
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w: choose another folder with --data", path, cause(err)), lock.Unlock())
	}
	return lock, nil
}

func holder(path string) string {
	pid, err := os.ReadFile(path)
	if err != nil || len(pid) == 0 {
		return "another program"
	}
	return "process " + strings.TrimSpace(string(pid))
}

func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create folder %s: %w: choose another with --data", dir, cause(err))
	}
	return nil
}

// cause drops the operation and path that os errors repeat.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// InUse tells who uses a data folder now; "" when nobody does.
func InUse(data string) string {
	path := filepath.Join(data, "lock")
	if !exists(path) {
		return ""
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	if free, err := lock.TryLock(); err != nil || !free {
		return holder(path)
	}
	lock.Unlock()
	return ""
}
