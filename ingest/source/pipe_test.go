package source

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipeWithoutWriter: waiting for a pipe's writer ends with the context.
func TestPipeWithoutWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event, err := range f.Events(ctx) {
			t.Errorf("an empty pipe delivers %+v, %v", event, err)
		}
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("still waiting for a writer")
	}
}
