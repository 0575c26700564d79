package faults

import (
	"io"
	"net"
	"sync"
	"testing"
)

// proxy stands between a service and a server, and can cut their connections.
type proxy struct {
	ln   net.Listener
	dial func() (net.Conn, error)

	mu   sync.Mutex
	open map[net.Conn]bool
	all  sync.WaitGroup
}

// newProxy listens on loopback and passes on to what dial returns.
func newProxy(t *testing.T, dial func() (net.Conn, error)) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{ln: ln, dial: dial, open: map[net.Conn]bool{}}
	p.all.Go(p.accept)
	t.Cleanup(func() { ln.Close(); p.cut(); p.all.Wait() })
	return p
}

func (p *proxy) addr() string { return p.ln.Addr().String() }

func (p *proxy) accept() {
	for {
		client, err := p.ln.Accept()
		if err != nil {
			return // closed
		}
		server, err := p.dial()
		if err != nil {
			reset(client)
			continue
		}
		p.mu.Lock()
		p.open[client], p.open[server] = true, true
		p.mu.Unlock()
		p.all.Go(func() { p.pass(client, server) })
		p.all.Go(func() { p.pass(server, client) })
	}
}

// pass hands on what comes until either side ends, then ends both.
func (p *proxy) pass(to, from net.Conn) {
	io.Copy(to, from)
	to.Close()
	from.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, to)
	delete(p.open, from)
}

// cut resets all connections, in the middle of whatever they carry, and returns
// how many there were.
func (p *proxy) cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for conn := range p.open {
		if _, ok := conn.(*net.TCPConn); ok {
			n++
		}
		reset(conn)
	}
	return n
}

// reset closes a connection without a farewell.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
