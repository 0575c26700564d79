package stack

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// maxLog bounds a log that a new process appends to; with the one before
	// it, a server's logs take about twice that.
	maxLog = 1 << 20
	// maxTail is how much of the log is read for a reason: more than one
	// crash report of Redis, which opens with the reason.
	maxTail = 256 << 10
	// maxReasons is how many lines of it are told.
	maxReasons = 3
	crashTitle = "REDIS BUG REPORT START"
)

// serverLog is the file that a server process writes its output to.
type serverLog struct {
	*os.File
	began int64 // its size when the process started
}

func openLog(dir string) (*serverLog, error) {
	path := filepath.Join(dir, "server.log")
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		_ = os.Rename(path, path+".1")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, cause(err))
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &serverLog{f, info.Size()}, nil
}

// reasons gives the lines that say best why this process ended: the first ones
// of a crash report, else the last ones.
func (l *serverLog) reasons() string {
	info, err := l.Stat()
	if err != nil {
		return "no log"
	}
	text, err := io.ReadAll(io.NewSectionReader(l, max(l.began, info.Size()-maxTail), maxTail))
	if err != nil {
		return "no log"
	}
	_, crash, crashed := strings.Cut(string(text), crashTitle)
	if crashed {
		lines := telling(crash)
		return strings.Join(lines[:min(maxReasons, len(lines))], " | ")
	}
	lines := telling(string(text))
	return strings.Join(lines[max(0, len(lines)-maxReasons):], " | ")
}

// telling gives the warnings, which Redis marks with "#". A loader that found no
// library or an old libc writes lines without a mark, so without any warning all
// lines count.
func telling(text string) []string {
	var all, marked []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "= :#") == "" || strings.Contains(line, "overcommit") {
			continue // the machine's memory settings are no reason
		}
		all = append(all, line)
		if strings.Contains(line, " # ") {
			marked = append(marked, line)
		}
	}
	switch {
	case len(marked) > 0:
		return marked
	case len(all) > 0:
		return all
	}
	return []string{"it wrote nothing to its log"}
}
