package faults

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"

	"visualizer/internal/stack"
)

// long is the form of make faults.
var long = flag.Bool("long", false, "more and longer faults: about a quarter of an hour")

// natsVariable names the folder of a NATS.
const natsVariable = "FAULTS_NATS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(natsVariable); dir != "" {
		os.Exit(serveNATS(dir))
	}
	goleak.VerifyTestMain(m)
}

// serveNATS is what the test binary does instead of testing when a test started
// it as a NATS to be killed. It ends with its standard input.
func serveNATS(dir string) int {
	s, err := stack.Start(context.Background(), stack.Config{
		Data: dir, RedisURL: "unix:///none", Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	s.Close()
	return 0
}
