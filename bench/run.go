package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"visualizer/bench/report"
	"visualizer/internal/cli"
)

// bench is a set of pairs about one part of the program.
type bench struct {
	name string
	run  func(ctx context.Context, s *session) error
}

func benches() []bench {
	return []bench{
		{"search", benchSearch},
		{"cache", benchCache},
		{"k6", benchK6},
		{"edge", benchEdge},
		{"subscribers", benchSubscribers},
		{"ingest", benchIngest}, // last, since it adds to the data
	}
}

func names() []string {
	var list []string
	for _, b := range benches() {
		list = append(list, b.name)
	}
	return list
}

// run checks what was asked for, and measures it.
func run(ctx context.Context, cfg *settings) error {
	for _, name := range cfg.Bench {
		if !slices.Contains(names(), name) {
			return cli.Usage(fmt.Errorf("there is no bench %q: give one of %s", name, strings.Join(names(), ", ")))
		}
	}
	if err := writable(cfg.Out); err != nil {
		return cli.Usage(fmt.Errorf("%w: run it in the project's folder, or give another --out", err))
	}
	scale := fullScale
	if cfg.Quick {
		scale = quickScale
	}
	return measure(ctx, cfg, scale)
}

// measure runs the benches, each on its own: one that fails leaves the results
// of those before it.
func measure(ctx context.Context, cfg *settings, sc scale) (err error) {
	s, err := newSession(cfg, sc)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	missed := 0
	for _, b := range benches() {
		if len(cfg.Bench) > 0 && !slices.Contains(cfg.Bench, b.name) {
			continue
		}
		section, err := s.section(ctx, b, cfg.Quick)
		if err != nil {
			return fmt.Errorf("bench %s: %w", b.name, err)
		}
		if err := section.WriteInto(cfg.Out); err != nil {
			return err
		}
		missed += section.Missed()
	}
	if missed > 0 {
		fmt.Printf("targets missed: %d\n", missed)
	}
	return nil
}

// writable reports before the work whether its results can be kept.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// section runs a bench.
func (s *session) section(ctx context.Context, b bench, quick bool) (report.Section, error) {
	command := "go run ./bench " + b.name
	if quick {
		command += " --quick"
	}
	fmt.Println(command)
	s.rows, s.notes = nil, nil
	if err := b.run(ctx, s); err != nil {
		return report.Section{}, err
	}
	where, err := s.where(ctx)
	return report.Section{Command: command, Where: where, Notes: s.notes, Rows: s.rows}, err
}
