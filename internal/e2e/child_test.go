package e2e

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"visualizer/internal/allinone"
)

// journalVariable names the file in which a child notes what JetStream has
// acked.
const journalVariable = "E2E_JOURNAL"

// child is what the test binary does instead of testing when a test started it
// as a process to be killed: it is the visualizer command, and notes each
// batch that JetStream has taken before anything else can know of it.
func child() {
	path := os.Getenv(journalVariable)
	if path == "" {
		return
	}
	journal, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	cmd := allinone.Command()
	run := cmd.Run
	cmd.Run = func(ctx context.Context, cfg *allinone.Settings) error {
		cfg.Acked = func(batch []byte) {
			if _, err := journal.Write(append(batch, '\n')); err != nil {
				panic(err)
			}
		}
		return run(ctx, cfg)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(cmd.Exec(process(signals)))
}
