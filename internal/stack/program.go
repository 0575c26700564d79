package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// oldest is the first major version of Redis whose behaviour we count on.
const oldest = 8

// program is a redis-server and the modules to load into it.
type program struct {
	server  string
	modules []module // file is a full path
}

func findProgram(ctx context.Context, cfg Config, r role) (program, error) {
	if err := canRun(); err != nil {
		return program{}, fmt.Errorf("start %s server: %w: give %s", r.name, err, r.flag)
	}
	p, err := onPath(ctx, r)
	if err == nil {
		return p, nil
	}
	if ctx.Err() != nil {
		return program{}, ctx.Err()
	}
	if !errors.Is(err, exec.ErrNotFound) {
		cfg.Log.Info("redis-server on PATH is passed over", "server", r.name, "err", err)
	}
	return inCache(ctx, cfg, r)
}

// inCache gives the program from the cache, which it fills if need be.
func inCache(ctx context.Context, cfg Config, r role) (program, error) {
	dirs := make([]string, len(r.wheels))
	for i, w := range r.wheels {
		dir, err := w.fetch(ctx, cfg.CacheDir, cfg.Progress)
		if err != nil {
			return program{}, fmt.Errorf("%w: %s, or give %s", err, installAdvice, r.flag)
		}
		dirs[i] = dir
	}
	p := program{server: findFile(dirs, "redis-server")}
	for _, m := range r.modules {
		p.modules = append(p.modules, module{findFile(dirs, m.file), m.args})
	}
	return p, nil
}

// onPath gives the redis-server on PATH if it is new enough and serves the role.
func onPath(ctx context.Context, r role) (program, error) {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return program{}, err
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return program{}, err
	}
	version, err := majorVersion(ctx, bin)
	if err != nil {
		return program{}, err
	}
	if version < oldest {
		return program{}, fmt.Errorf("%s has version %d, not %d", bin, version, oldest)
	}
	p := program{server: bin, modules: besides(bin, r.modules)}
	return p, try(ctx, r, p)
}

var versionPattern = regexp.MustCompile(`\bv=(\d+)\.`)

func majorVersion(ctx context.Context, bin string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, bin, "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("run %s --version: %w", bin, err)
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("run %s --version: no version in %q", bin, firstLine(string(out)))
	}
	return strconv.Atoi(string(m[1]))
}

// besides gives those modules that lie where packages put them, relative to the
// binary or to what it links to. One that isn't there may be built in or loaded
// by a wrapper: only the trial tells.
func besides(bin string, wanted []module) []module {
	var dirs []string
	for _, b := range []string{bin, resolved(bin)} {
		d := filepath.Dir(b)
		dirs = append(dirs, filepath.Join(d, "../lib/redis/modules"), filepath.Join(d, "../modules"),
			filepath.Join(d, "modules"), filepath.Join(d, "../lib"), d)
	}
	var found []module
	for _, m := range wanted {
		if path := findFile(dirs, m.file); path != "" {
			found = append(found, module{path, m.args})
		}
	}
	return found
}

// try starts the program on an empty folder, so that one which turns out to be
// unfit never touches the data.
func try(ctx context.Context, r role, p program) error {
	dir, err := os.MkdirTemp("", "visualizer-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	server, err := startRedis(ctx, r, p, resolved(dir), quiet)
	if err != nil {
		return err
	}
	return server.stop(stopTime)
}

func resolved(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

func findFile(dirs []string, name string) string {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
