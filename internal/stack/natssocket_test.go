package stack_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
)

// TestRunningNATS reaches the embedded server of a running stack through its
// data folder, and nothing once the stack has stopped.
func TestRunningNATS(t *testing.T) {
	data := t.TempDir()
	if _, _, ok := stack.RunningNATS(data); ok {
		t.Error("a server answers in an empty folder")
	}
	s := stacktest.Start(t, stacktest.Data(data))
	url, opts, ok := stack.RunningNATS(data)
	if !ok {
		t.Fatal("the running server is not found")
	}
	outside, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	url, opts = s.NATS()
	inside, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	sub, err := inside.SubscribeSync("greeting")
	if err != nil {
		t.Fatal(err)
	}
	if err := inside.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := outside.Publish("greeting", make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	if msg, err := sub.NextMsg(10 * time.Second); err != nil || len(msg.Data) != 100_000 {
		t.Errorf("through the socket came %v", err)
	}
	outside.Close()
	inside.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := stack.RunningNATS(data); ok {
		t.Error("a stopped server answers")
	}
}
