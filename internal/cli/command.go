package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitSignal = 128 // plus the signal's number, as shells have it
)

// Command is one program whose settings are a C: a struct with kong's tags.
type Command[C any] struct {
	Name        string
	Description string
	// Vars is what ${name} in the tags of C stands for, such as a default
	// that differs between commands.
	Vars map[string]string
	// Commands run instead when the first argument is their name.
	Commands []Subcommand
	// Run does the work until it is done or ctx ends, then returns. Cancelling
	// ctx asks it to finish what is under way; context.Canceled is then no
	// error.
	Run func(ctx context.Context, cfg *C) error
}

// Process is what the operating system gives a program.
type Process struct {
	Args    []string // without the program's own name
	Environ []string // as NAME=value
	Stdout  io.Writer
	Stderr  io.Writer
	Signals <-chan os.Signal // nil when none can come
}

// Main runs cmd as this process and does not return.
func Main[C any](cmd Command[C]) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(cmd.Exec(Process{
		Args:    os.Args[1:],
		Environ: os.Environ(),
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Signals: signals,
	}))
}

// Exec parses, runs and returns the exit code, or that of the subcommand that
// the first argument names. The first signal cancels the
// context of Run. On the second, Exec returns although Run may still be
// working, so the caller must end the process.
func (c Command[C]) Exec(p Process) int {
	if sub := c.subcommand(p.Args); sub != nil {
		p.Args = p.Args[1:]
		return sub.Exec(p)
	}
	var cfg C
	if err := (grammar{c.Name, c.Description, c.Vars, c.Commands}).parse(p, &cfg); err != nil {
		return c.exit(p, err, false)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, &cfg) }()
	return c.wait(p, cancel, done)
}

func (c Command[C]) wait(p Process, cancel context.CancelFunc, done <-chan error) int {
	stopping := false
	for {
		select {
		case err := <-done:
			return c.exit(p, err, stopping)
		case sig := <-p.Signals:
			if stopping {
				fmt.Fprintf(p.Stderr, "%s: stopped at once\n", c.Name)
				return exitSignal + number(sig)
			}
			stopping = true
			fmt.Fprintf(p.Stderr, "%s: finishing what is under way; a second Ctrl-C stops at once\n", c.Name)
			cancel()
		}
	}
}

func number(sig os.Signal) int {
	if s, ok := sig.(syscall.Signal); ok {
		return int(s)
	}
	return int(syscall.SIGINT)
}

// exit prints err as one line, unless there is nothing to say, and returns its
// exit code.
func (c Command[C]) exit(p Process, err error, stopping bool) int {
	switch {
	case err == nil, errors.Is(err, errShown), stopping && onlyCanceled(err):
		return exitDone
	case isUsage(err):
		fmt.Fprintf(p.Stderr, "%s: %s\n", c.Name, oneLine(err))
		return exitUsage
	default:
		fmt.Fprintf(p.Stderr, "%s: %s\n", c.Name, oneLine(err))
		return exitFailed
	}
}

// oneLine joins the lines that errors.Join and libraries put into an error.
func oneLine(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}
