package dial

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// idleTime is how long a connection may be unused and still be trusted: a server
// that was restarted meanwhile has closed it.
const idleTime = time.Second

// ownConn is a connection that one caller at a time has for itself.
type ownConn struct {
	rueidis.DedicatedClient
	broken atomic.Bool
	since  time.Time // unused
}

// Do sends a command and notes whether the connection has failed.
func (o *ownConn) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	r := o.DedicatedClient.Do(ctx, cmd)
	o.look(r)
	return r
}

// DoMulti sends commands and notes whether the connection has failed.
func (o *ownConn) DoMulti(ctx context.Context, cmds ...rueidis.Completed) []rueidis.RedisResult {
	results := o.DedicatedClient.DoMulti(ctx, cmds...)
	for _, r := range results {
		o.look(r)
	}
	return results
}

func (o *ownConn) look(r rueidis.RedisResult) {
	if r.NonRedisError() != nil {
		o.broken.Store(true)
	}
}

// Dedicated calls fn with a connection of its own. The client library would
// clear subscriptions from one that is given back, and end the process when the
// PING it does that with is refused, as by a server whose disk is full. So
// connections are kept here, and closed instead of given back.
func (c *RedisClient) Dedicated(fn func(rueidis.DedicatedClient) error) error {
	conn := c.own()
	err := fn(conn)
	c.putBack(conn)
	return err
}

// own returns a connection that was used just now, or a new one.
func (c *RedisClient) own() *ownConn {
	for conn := c.takeIdle(); conn != nil; conn = c.takeIdle() {
		if time.Since(conn.since) < idleTime {
			return conn
		}
		conn.Close()
	}
	conn, _ := c.Dedicate()
	return &ownConn{DedicatedClient: conn}
}

// takeIdle returns the connection that was used last, or nil.
func (c *RedisClient) takeIdle() *ownConn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == 0 {
		return nil
	}
	last := len(c.idle) - 1
	conn := c.idle[last]
	c.idle = c.idle[:last]
	return conn
}

func (c *RedisClient) putBack(conn *ownConn) {
	if conn.broken.Load() {
		conn.Close()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	conn.since = time.Now()
	c.idle = append(c.idle, conn)
}

// Close closes the client and its connections.
func (c *RedisClient) Close() {
	c.mu.Lock()
	idle := c.idle
	c.idle = nil
	c.mu.Unlock()
	for _, conn := range idle {
		conn.Close()
	}
	c.Client.Close()
}
