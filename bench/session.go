package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"visualizer/bench/load"
	"visualizer/bench/report"
)

// scale says with how many tweets and how long is measured.
type scale struct {
	small, middle, large int
	// rounds is how often each side of a pair is measured; of k6, which takes
	// 10 s each, loads.
	rounds, loads int
	each          time.Duration // how long a page is asked for in one measurement
	mix           int           // random filters
	stages        string        // of k6; "" is the plain load
	planning      time.Duration // how long requests for k6 are made
	filled        int           // tweets that are ingested into an empty store
	// full says that there are as many tweets as the targets were set for.
	full bool
}

var (
	fullScale  = scale{small: 10_000, middle: 100_000, large: 1_000_000, rounds: 5, loads: 3, each: 200 * time.Millisecond, mix: 200, planning: 20 * time.Second, filled: 100_000, full: true}
	quickScale = scale{small: 10_000, middle: 100_000, large: 100_000, rounds: 3, loads: 2, each: 200 * time.Millisecond, mix: 60, planning: 20 * time.Second, filled: 20_000}
)

// session is one run of the program: its data, loaded once, and what the
// present bench has found.
type session struct {
	scale
	log      *slog.Logger
	data     map[int]*load.Data
	busy     string   // load average before it
	query    string   // path of the query command, once it is built
	folders  []string // to be removed
	streams  int      // made so far
	rows     []report.Row
	notes    []string
	shown    *progressbar.ProgressBar
	terminal bool
}

func newSession(cfg *settings, sc scale) (*session, error) {
	log, err := cfg.Logger(os.Stderr)
	if err != nil {
		return nil, err
	}
	return &session{
		scale: sc, log: log, data: map[int]*load.Data{}, busy: loadAverage(),
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}, nil
}

// Close stops the servers and removes what was built.
func (s *session) Close() error {
	var errs []error
	for _, dir := range s.folders {
		errs = append(errs, os.RemoveAll(dir))
	}
	for _, d := range s.data {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// atFullSize is a limit that counts only when as many tweets are loaded as it
// was set for.
func (s *session) atFullSize(l report.Limit) report.Limit {
	if !s.full {
		return report.Limit{}
	}
	return l
}

// of returns a Redis with so many tweets in it, which all benches share.
func (s *session) of(ctx context.Context, size int) (*load.Data, error) {
	if s.data[size] == nil {
		s.begin("loading", size)
		d, err := load.New(ctx, load.Config{Size: size, Log: s.quiet(), Progress: os.Stderr, Loaded: s.advance})
		s.end()
		if err != nil {
			return nil, err
		}
		s.data[size] = d
	}
	d := s.data[size]
	rate := float64(size) / d.Took.Seconds()
	s.note("%s tweets loaded by pipelined JSON.SET in %.1f s: %s tweets/s", report.Count(size), d.Took.Seconds(), report.Count(int(rate)))
	return d, nil
}

// quiet is a log without what is no news while measuring.
func (s *session) quiet() *slog.Logger { return slog.New(warnings{s.log.Handler()}) }

// warnings passes on warnings and errors.
type warnings struct{ slog.Handler }

// Enabled leaves out what is less than a warning.
func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

// note keeps a line for the section and prints it.
func (s *session) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.notes = append(s.notes, text)
	fmt.Println(text)
}

// pair measures a pair and prints what it came to.
func (s *session) pair(ctx context.Context, p report.Pair) error {
	s.begin(p.Target+" "+p.Question, p.Measurements())
	row, err := p.Measure(ctx, func() { s.advance(1) })
	s.end()
	if err != nil {
		return err
	}
	s.row(row)
	return nil
}

// row keeps a row for the section and prints it.
func (s *session) row(row report.Row) {
	s.rows = append(s.rows, row)
	fmt.Println(row)
}

// begin draws a bar where somebody can see it.
func (s *session) begin(what string, total int) {
	out := io.Writer(os.Stderr)
	if !s.terminal {
		out = io.Discard
	}
	s.shown = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish())
}

// advance may be called from any goroutine.
func (s *session) advance(n int) { _ = s.shown.Add(n) }

func (s *session) end() { _ = s.shown.Finish() }
