package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// wires are connections to the service. A request is written and its answer
// read by who asks: net/http's client has two more goroutines a connection do
// that, which on one machine take the service's time.
type wires struct {
	host string
	path string
	free chan *wire
}

// wire is one connection, nil until it is used.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
}

// newWires returns so many connections to the service at a URL.
func newWires(to string, connections int) *wires {
	w := &wires{free: make(chan *wire, connections)}
	if at, err := url.Parse(to); err == nil { // else the first request tells
		w.host, w.path = at.Host, at.Path
	}
	for range connections {
		w.free <- &wire{}
	}
	return w
}

// Close drops the connections. None may be in use.
func (w *wires) Close() {
	for range cap(w.free) {
		if c := <-w.free; c.conn != nil {
			c.conn.Close()
		}
	}
}

// post sends a JSON body on a connection that is free, and returns the status
// and the body of the answer.
func (w *wires) post(ctx context.Context, body []byte) (status int, answer []byte, err error) {
	c := <-w.free
	defer func() { w.free <- c }()
	status, answer, err = c.post(ctx, w, body)
	if err != nil {
		c.drop()
		return 0, nil, fmt.Errorf("ask http://%s%s: %w", w.host, w.path, err)
	}
	return status, answer, nil
}

func (c *wire) post(ctx context.Context, w *wires, body []byte) (int, []byte, error) {
	if c.conn == nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.host)
		if err != nil {
			return 0, nil, err
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(patience)
	}
	if err := c.conn.SetDeadline(deadline); err != nil {
		return 0, nil, err
	}
	c.out = append(append(append(c.out[:0], "POST "...), w.path...), " HTTP/1.1\r\nHost: "...)
	c.out = append(append(c.out, w.host...), "\r\nContent-Type: application/json\r\nContent-Length: "...)
	c.out = append(append(strconv.AppendInt(c.out, int64(len(body)), 10), "\r\n\r\n"...), body...)
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, nil, err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if answer.Close {
		c.drop()
	}
	return answer.StatusCode, text, err
}

func (c *wire) drop() {
	if c.conn != nil {
		c.conn.Close()
	}
	c.conn = nil
}
