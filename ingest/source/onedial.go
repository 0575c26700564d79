package source

import (
	"context"
	"net"
	"sync"
)

// dialer opens a connection, as net.Dialer.DialContext does.
type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// oneAtATime opens a connection only when the one before is closed, and waits
// for that: closing the body of an answer only begins to close its connection.
func oneAtATime(dial dialer) dialer {
	seat := make(chan struct{}, 1)
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		select {
		case seat <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		free := func() { <-seat }
		conn, err := dial(ctx, network, addr)
		if err != nil {
			free()
			return nil, err
		}
		return &seated{Conn: conn, free: sync.OnceFunc(free)}, nil
	}
}

// seated is a connection that lets another be opened once it is closed.
type seated struct {
	net.Conn
	free func()
}

// Close closes the connection.
func (s *seated) Close() error {
	defer s.free()
	return s.Conn.Close()
}
