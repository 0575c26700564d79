package e2e

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// hole is a proxy that can swallow what it is given: both sides stay connected
// and hear nothing more, as when a cable is cut.
type hole struct {
	addr   string
	cut    atomic.Bool
	closed chan struct{} // by the server, of the first connection
}

func newHole(t *testing.T, server string) *hole {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	h := &hole{addr: ln.Addr().String(), closed: make(chan struct{})}
	go func() {
		near, err := ln.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", server)
		if err != nil {
			near.Close()
			return
		}
		t.Cleanup(func() { near.Close(); far.Close() })
		go io.Copy(swallower{far, h}, near)
		io.Copy(swallower{near, h}, far)
		close(h.closed)
	}()
	return h
}

// swallower passes on what is written, until the proxy is cut.
type swallower struct {
	to net.Conn
	h  *hole
}

func (s swallower) Write(p []byte) (int, error) {
	if s.h.cut.Load() {
		return len(p), nil
	}
	return s.to.Write(p)
}
