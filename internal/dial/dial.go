// Package dial connects a service to Redis and NATS, with errors that say what
// to do.
package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/redis/rueidis"
)

// patience is how long a server that doesn't answer yet is waited for: services
// are often started together.
const patience = 5 * time.Second

// RedisClient is a client that can be cut off.
type RedisClient struct {
	rueidis.Client
	mu    sync.Mutex
	conns map[net.Conn]bool
	cut   bool
	idle  []*ownConn // see Dedicated
}

// Cut closes the client's connections under it, so that every call ends: to a
// server that hangs, not all of them look at their context.
func (c *RedisClient) Cut() {
	c.mu.Lock()
	c.cut = true
	conns := slices.Collect(maps.Keys(c.conns))
	c.mu.Unlock()
	for _, conn := range conns {
		conn.Close()
	}
}

// keep notes a connection that Cut must close.
func (c *RedisClient) keep(conn net.Conn) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		conn.Close()
	}
	kept := &keptConn{Conn: conn, client: c}
	c.conns[kept] = true
	return kept
}

// keptConn is forgotten when it is closed.
type keptConn struct {
	net.Conn
	client *RedisClient
}

// Close closes the connection.
func (c *keptConn) Close() error {
	c.client.mu.Lock()
	delete(c.client.conns, c)
	c.client.mu.Unlock()
	return c.Conn.Close()
}

// dialer dials as the options say, and keeps what it dialled.
func (c *RedisClient) dialer(option rueidis.ClientOption) func(context.Context, string, *net.Dialer, *tls.Config) (net.Conn, error) {
	dial := option.DialCtxFn
	if dial == nil {
		dial = func(ctx context.Context, addr string, d *net.Dialer, config *tls.Config) (net.Conn, error) {
			if config != nil {
				return (&tls.Dialer{NetDialer: d, Config: config}).DialContext(ctx, "tcp", addr)
			}
			return d.DialContext(ctx, "tcp", addr)
		}
	}
	return func(ctx context.Context, addr string, d *net.Dialer, config *tls.Config) (net.Conn, error) {
		conn, err := dial(ctx, addr, d, config)
		if err != nil {
			return nil, err
		}
		return c.keep(conn), nil
	}
}

// Redis connects to the server at url; name is how the server lists the client.
// change alters the client's options and may be nil.
func Redis(ctx context.Context, rawURL, name string, change func(*rueidis.ClientOption)) (*RedisClient, error) {
	option, err := rueidis.ParseURL(rawURL)
	if err != nil { // not in the error: it quotes the URL, which may hold a password
		return nil, badURL{errors.New("read --redis-url: it is no such URL: give redis://host:port or unix:///path, with / # % in a password escaped")}
	}
	option.ClientName = name
	option.Dialer.Timeout = patience
	if change != nil {
		change(&option)
	}
	c := &RedisClient{conns: map[net.Conn]bool{}}
	option.DialCtxFn = c.dialer(option)
	c.Client, err = retry(ctx, func() (rueidis.Client, error) { return rueidis.NewClient(option) })
	if err != nil {
		return nil, fmt.Errorf("connect to redis at %s: %w: start it or give another --redis-url", option.InitAddress[0], reason(err))
	}
	return c, nil
}

// NATS connects to the server at url, or with options to one in this process.
// A connection that breaks later is made again without end.
func NATS(ctx context.Context, rawURL, name string, options ...nats.Option) (*nats.Conn, error) {
	for server := range strings.SplitSeq(rawURL, ",") {
		if _, err := url.Parse(server); err != nil {
			return nil, badURL{errors.New("read --nats-url: it is no URL: give nats://host:port, with / # % in a password escaped")}
		}
	}
	options = append([]nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond)}, options...)
	conn, err := retry(ctx, func() (*nats.Conn, error) { return nats.Connect(rawURL, options...) })
	if err != nil {
		return nil, fmt.Errorf("connect to nats at %s: %w: start it or give another --nats-url", host(rawURL), reason(err))
	}
	return conn, nil
}

// badURL is a URL that can't be read, which is bad usage.
type badURL struct{ error }

func (b badURL) Unwrap() error { return b.error }

// BadUsage marks the error for the exit code.
func (badURL) BadUsage() bool { return true }

func retry[T any](ctx context.Context, dial func() (T, error)) (T, error) {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = 50*time.Millisecond, time.Second
	var last error
	got, err := backoff.Retry(ctx, func() (T, error) {
		got, err := dial()
		if err != nil {
			last = err
		}
		return got, err
	}, backoff.WithBackOff(b), backoff.WithMaxElapsedTime(patience))
	if err != nil && last != nil {
		err = last
	}
	return got, err
}

// reason is the innermost cause, which says it all: the address is named
// beside it.
func reason(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("no such host " + dns.Name)
	}
	return err
}

// host is what may be shown of a URL.
func host(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return "the given address"
	}
	return u.Host
}
