package sim

import (
	"errors"
	"strings"
	"testing"

	"visualizer/schema"
)

func TestWriteFile(t *testing.T) {
	var b strings.Builder
	if err := WriteFile(&b, NewWorldWith(51, small()), 1000, start, 100); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	seen, last := map[string]bool{}, ""
	for _, line := range all {
		if w := parse(t, line); w.tweet() && !seen[w.Data.ID] {
			seen[w.Data.ID], last = true, w.Data.ID
		}
		if strings.HasSuffix(line, "\r") {
			t.Fatalf("line ends with CR: %.80s", line)
		}
	}
	if len(seen) != 1000 {
		t.Errorf("%d tweets, want 1000", len(seen))
	}
	if at, _ := schema.SnowflakeTime(last); at != schema.TimeOf(start)+9990 {
		t.Errorf("the last tweet is of %s, want 9.99 s after %s", at, start)
	}
}

func TestWriteFileLeavesTheWorldItsLineEnd(t *testing.T) {
	w := NewWorldWith(52, small())
	if err := WriteFile(&strings.Builder{}, w, 1, start, 0); err != nil {
		t.Fatal(err)
	}
	if line := w.Next(nil, start); !strings.HasSuffix(string(line), lineEnd) {
		t.Errorf("line ends with %q", line[len(line)-2:])
	}
}

type fullDisk struct{}

var errFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteFileSaysWhatFailed(t *testing.T) {
	for _, n := range []int{1, 1000} { // one fits the buffer, a thousand don't
		if err := WriteFile(fullDisk{}, NewWorldWith(53, small()), n, start, 0); !errors.Is(err, errFull) {
			t.Errorf("%d tweets: %v", n, err)
		}
	}
}
