// Package k6 runs the load scripts beside it with the k6 program: load on the
// GraphQL API and on Redis itself, each answer checked.
package k6

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"visualizer/internal/stack"
)

//go:embed *.ts
var scripts embed.FS

// Scripts, and what their URL is.
const (
	GraphQL = "graphql.ts" // http://host:port/graphql
	Redis   = "redis.ts"   // redis://host:port
)

// ErrWrong says that k6 ran and that answers failed, were not the right tweets,
// or that there were none at all.
var ErrWrong = errors.New("not every answer was right")

// exitThresholds is k6's exit code for a run that failed its own checks.
const exitThresholds = 99

// Load is one run of a script.
type Load struct {
	Script string
	URL    string
	// Requests, written as JSON, is the script's list of requests; nil has it
	// send its standard one.
	Requests any
	// Stages is the load as time:users, joined by commas: in that time to so
	// many users. "" is the plain load, 9 s with up to 60 users.
	Stages string
	// Grace is how long an answer under way at the end is waited for; 0 is k6's
	// 30 s.
	Grace time.Duration
}

// Result is what a run came to. Times are those of a request with its checks.
type Result struct {
	Requests int     `json:"requests"`
	Good     int     `json:"good"`   // answers that were right
	Failed   int     `json:"failed"` // answers that said that they failed
	Seconds  float64 `json:"seconds"`
	MedianMS float64 `json:"medianMs"`
	P95MS    float64 `json:"p95Ms"`
	MaxMS    float64 `json:"maxMs"`
}

// Runner runs loads. Close removes its files.
type Runner struct{ program, dir string }

// New fetches k6 if need be; progress, if not nil, gets a line for the download.
func New(ctx context.Context, progress io.Writer) (*Runner, error) {
	dir, err := os.MkdirTemp("", "visualizer-k6-")
	if err != nil {
		return nil, err
	}
	r := &Runner{dir: dir}
	if err := os.CopyFS(dir, scripts); err != nil {
		return nil, errors.Join(fmt.Errorf("copy the k6 scripts to %s: %w", dir, err), r.Close())
	}
	if r.program, err = stack.K6(ctx, filepath.Join(dir, "cache"), progress); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close removes the runner's files.
func (r *Runner) Close() error { return os.RemoveAll(r.dir) }

// Run runs a load. The result counts also when the error is ErrWrong.
func (r *Runner) Run(ctx context.Context, load Load) (Result, error) {
	args, err := r.arguments(load)
	if err != nil {
		return Result{}, err
	}
	if err := os.Remove(r.summary()); err != nil && !os.IsNotExist(err) {
		return Result{}, err
	}
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Env = r.environ()
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case failed && exit.ExitCode() == exitThresholds:
		result, err := r.result()
		return result, errors.Join(err, fmt.Errorf("%s: %w: %d of %d were", load.Script, ErrWrong, result.Good, result.Requests))
	case err != nil:
		return Result{}, fmt.Errorf("run k6 %s: %w: %s", load.Script, err, lastLine(string(out)))
	}
	return r.result()
}

func (r *Runner) arguments(load Load) ([]string, error) {
	args := []string{"run", "--quiet", "--no-color", "--no-usage-report", "--address", "",
		"--include-system-env-vars=false", "-e", "URL=" + load.URL, "-e", "SUMMARY=" + r.summary()}
	if load.Stages != "" {
		args = append(args, "-e", "STAGES="+load.Stages)
	}
	if load.Grace != 0 {
		args = append(args, "-e", "GRACE="+load.Grace.String())
	}
	if load.Requests != nil {
		file := filepath.Join(r.dir, "requests.json")
		list, err := json.Marshal(load.Requests)
		if err == nil {
			err = os.WriteFile(file, list, 0o600)
		}
		if err != nil {
			return nil, fmt.Errorf("write the requests of %s: %w", load.Script, err)
		}
		args = append(args, "-e", "REQUESTS="+file)
	}
	return append(args, filepath.Join(r.dir, load.Script)), nil
}

func (r *Runner) summary() string { return filepath.Join(r.dir, "summary.json") }

func (r *Runner) result() (result Result, err error) {
	text, err := os.ReadFile(r.summary())
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	if err != nil {
		return result, fmt.Errorf("read what k6 measured: %w", err)
	}
	return result, nil
}

// environ keeps what the user set for k6 elsewhere from changing the load.
func (r *Runner) environ() []string {
	env := []string{"XDG_CONFIG_HOME=" + r.dir}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "K6_") && !strings.HasPrefix(entry, "XDG_CONFIG_HOME=") {
			env = append(env, entry)
		}
	}
	return env
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
