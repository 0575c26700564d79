//go:build !linux

package stack

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

var sigterm = os.Interrupt

// canRun refuses: elsewhere nothing ends a server when its parent is killed.
func canRun() error {
	return fmt.Errorf("Visualizer can't run a redis-server on %s", runtime.GOOS)
}

func childAttr() *syscall.SysProcAttr { return nil }

func evict(context.Context, string, time.Duration) error { return nil }
