package stack

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/nats-io/nats.go"
)

// natsSocketName is the file beside JetStream's that leads to the embedded
// server.
const natsSocketName = "nats.sock"

// natsSocket lets other programs of this user reach the embedded server: NATS
// itself can't listen on a unix socket, so connections are handed on.
type natsSocket struct {
	ln      net.Listener
	connect func() (net.Conn, error)

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
	all    sync.WaitGroup
}

// listenNATS opens the socket in dir. Where the path is too long for one there
// is none, which only the commands beside a running program miss.
func listenNATS(dir string, connect func() (net.Conn, error)) (*natsSocket, error) {
	path := filepath.Join(dir, natsSocketName)
	if len(path) > maxSocketPath {
		return nil, errors.New("its path is too long for a socket: " + path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	s := &natsSocket{ln: ln, connect: connect, open: map[net.Conn]bool{}}
	s.all.Go(s.accept)
	return s, nil
}

func (s *natsSocket) accept() {
	for {
		outside, err := s.ln.Accept()
		if err != nil {
			return // closed
		}
		inside, err := s.connect()
		if err != nil {
			outside.Close()
			continue
		}
		if !s.keep(outside, inside) {
			return
		}
		s.all.Go(func() { s.pass(outside, inside) })
		s.all.Go(func() { s.pass(inside, outside) })
	}
}

// keep notes connections that Close must end; false once it has run.
func (s *natsSocket) keep(conns ...net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range conns {
		s.open[c] = true
		if s.closed {
			c.Close()
		}
	}
	return !s.closed
}

// pass hands on what comes until either side ends, then ends both.
func (s *natsSocket) pass(to, from net.Conn) {
	io.Copy(to, from)
	to.Close()
	from.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, to)
	delete(s.open, from)
}

// Close ends the socket and all that goes through it.
func (s *natsSocket) Close() {
	s.ln.Close() // removes the file too
	s.mu.Lock()
	s.closed = true
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.all.Wait()
}

// RunningNATS returns what nats.Connect needs to reach the server that a running
// program keeps in the data folder; false when there is none.
func RunningNATS(data string) (url string, opts []nats.Option, ok bool) {
	dialer := unixDialer{filepath.Join(data, natsDir, natsSocketName)}
	conn, err := dialer.Dial("", "")
	if err != nil {
		return "", nil, false
	}
	conn.Close()
	return nats.DefaultURL, []nats.Option{nats.SetCustomDialer(dialer)}, true
}

// unixDialer dials one socket, whatever address is asked for.
type unixDialer struct{ path string }

// Dial connects to the socket.
func (d unixDialer) Dial(_, _ string) (net.Conn, error) { return net.Dial("unix", d.path) }
