package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"visualizer/bench/load"
)

// where tells when and of what commit, and on which machine and servers.
func (s *session) where(ctx context.Context) (string, error) {
	text := fmt.Sprintf("%s, commit %s, load average before it %s. %d × %s, %s memory, %s/%s, %s",
		time.Now().UTC().Format(time.DateOnly), commit(ctx), s.busy, runtime.NumCPU(), field("/proc/cpuinfo", "model name", "unknown CPU"),
		memory(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, d := range s.data {
		servers, err := servers(ctx, d)
		return text + ", " + servers + ".", err // they are all of one kind
	}
	return text + ".", nil
}

// commit names the commit that is measured, and says when files differ from it.
func commit(ctx context.Context) string {
	id, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	name := strings.TrimSpace(string(id))
	// The results themselves are no part of what is measured.
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ":/", ":(exclude,top)bench/RESULTS.md").Output()
	if err != nil || len(changed) > 0 {
		name += " with changes"
	}
	return name
}

// field returns what stands behind a name and a colon in a file of /proc.
func field(path, name, otherwise string) string {
	f, err := os.Open(path)
	if err != nil {
		return otherwise
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return otherwise
}

// loadAverage is how many processes wanted to run in the last minute: above 0,
// others take part of what is measured.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

func memory() string {
	var kb int
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal", ""), &kb); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d GiB", (kb+1<<19)>>20)
}

// servers tells the versions of Redis and its modules.
func servers(ctx context.Context, d *load.Data) (string, error) {
	info, err := d.Client.Do(ctx, d.Client.B().Info().Section("server", "modules").Build()).ToString()
	if err != nil {
		return "", fmt.Errorf("read the versions of Redis: %w", err)
	}
	var list []string
	for line := range strings.Lines(info) {
		line = strings.TrimSpace(line)
		if version, ok := strings.CutPrefix(line, "redis_version:"); ok {
			list = append(list, "Redis "+version)
		}
		if module, ok := strings.CutPrefix(line, "module:name="); ok && !strings.HasPrefix(module, "vectorset,") {
			name, rest, _ := strings.Cut(module, ",ver=")
			number, _, _ := strings.Cut(rest, ",")
			list = append(list, moduleName(name)+" "+dotted(number))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", "), nil
}

// moduleName is the name that people know a module by.
func moduleName(name string) string {
	switch name {
	case "search":
		return "RediSearch"
	case "ReJSON":
		return "RedisJSON"
	}
	return name
}

// dotted shows a module's version, 21005, as 2.10.5.
func dotted(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil {
		return number
	}
	return fmt.Sprintf("%d.%d.%d", n/10_000, n/100%100, n%100)
}
