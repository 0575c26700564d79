package sim

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is when the worlds of the tests begin: not on a whole second.
var start = time.Date(2026, 3, 1, 12, 0, 0, 250e6, time.UTC)

// small returns options of a world that is made quickly and forgets soon.
func small() Options {
	o := DefaultOptions()
	o.Authors, o.Recent = 2000, 512
	return o
}

// lines returns what n tweets at 50 a second bring, line by line.
func lines(w *World, n int) []string {
	var out []string
	var b []byte
	for i := range n {
		b = w.Next(b[:0], start.Add(time.Duration(i)*20*time.Millisecond))
		out = append(out, splitLines(string(b))...)
	}
	return out
}
