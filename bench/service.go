package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// stopTime is how long a service may take to end before it is killed.
const stopTime = 10 * time.Second

// service is cmd/query as a process of its own, as a user runs it.
type service struct {
	url  string // of /graphql
	cmd  *exec.Cmd
	stop context.CancelFunc
	read chan struct{} // closed when its log has ended
}

// build makes the query command once and returns its path.
func (s *session) build(ctx context.Context) (string, error) {
	if s.query != "" {
		return s.query, nil
	}
	dir, err := os.MkdirTemp("", "visualizer-bench-")
	if err != nil {
		return "", err
	}
	s.folders = append(s.folders, dir)
	path := filepath.Join(dir, "query")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "visualizer/cmd/query").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the query command: %w: %s", err, strings.TrimSpace(string(out)))
	}
	s.query = path
	return path, nil
}

// serve starts the query service over a Redis and returns when it answers.
func (s *session) serve(ctx context.Context, redisURL string) (*service, error) {
	path, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, path, "--redis-url", redisURL, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log-format", "json")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTime
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("start the query command: %w", err)
	}
	q := &service{cmd: cmd, stop: stop, read: make(chan struct{})}
	if q.url, err = q.follow(log); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// follow reads the log to the line that tells the URL; the rest is drained, so
// that the service never waits for a reader.
func (q *service) follow(log io.Reader) (url string, err error) {
	lines := bufio.NewScanner(log)
	last := ""
	for lines.Scan() {
		last = lines.Text()
		var line struct{ GraphQL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.GraphQL != "" {
			go func() {
				defer close(q.read)
				io.Copy(io.Discard, log)
			}()
			return line.GraphQL, nil
		}
	}
	close(q.read)
	return "", fmt.Errorf("start the query command: it ended: %s", last)
}

// Close ends the service.
func (q *service) Close() error {
	q.stop()
	<-q.read
	err := q.cmd.Wait()
	if err != nil && !errors.Is(err, context.Canceled) && !q.cmd.ProcessState.Success() {
		return fmt.Errorf("stop the query command: %w", err)
	}
	return nil
}
