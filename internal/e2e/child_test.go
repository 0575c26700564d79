package e2e

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"visualizer/internal/allinone"
)

// journalVariable names the file in which a child notes what it sends to
// JetStream and what JetStream has acked.
const journalVariable = "E2E_JOURNAL"

// The first byte of a line of the journal.
const (
	sentMark  = 'S'
	ackedMark = 'A'
)

// child is what the test binary does instead of testing when a test started it
// as a process to be killed: it is the visualizer command, and notes each batch
// before it is sent, and again when JetStream has acked it.
func child() {
	path := os.Getenv(journalVariable)
	if path == "" {
		return
	}
	journal, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	note := func(line []byte) {
		if _, err := journal.Write(line); err != nil {
			panic(err)
		}
	}
	note([]byte("\n")) // the last line of a child that was killed may be cut
	cmd := allinone.Command()
	run := cmd.Run
	cmd.Run = func(ctx context.Context, cfg *allinone.Settings) error {
		cfg.Published = func(batch []byte, acked bool) {
			mark := byte(sentMark)
			if acked {
				mark = ackedMark
			}
			note(append(append([]byte{mark}, batch...), '\n'))
		}
		return run(ctx, cfg)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(cmd.Exec(process(signals)))
}
