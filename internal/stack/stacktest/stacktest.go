// Package stacktest gives a test real servers: a redis-server with RediSearch and
// RedisJSON and NATS with JetStream, empty, for this test alone.
package stacktest

import (
	"log/slog"
	"testing"

	"github.com/redis/rueidis"

	"visualizer/internal/stack"
)

// Option changes what Start starts.
type Option func(*stack.Config)

// Graph adds the graph server. A test where it can't run fails.
func Graph() Option { return func(c *stack.Config) { c.Graph = true } }

// Data keeps the files in dir, for a test that stops the servers and starts them
// again on what they stored.
func Data(dir string) Option { return func(c *stack.Config) { c.Data = dir } }

// Start starts the servers and closes them when the test ends; closing them
// earlier is fine.
func Start(t testing.TB, opts ...Option) *stack.Stack {
	t.Helper()
	cfg := stack.Config{
		Log:      slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		Progress: t.Output(),
	}
	for _, o := range opts {
		o(&cfg)
	}
	if cfg.Data == "" {
		cfg.Data = t.TempDir()
	}
	s, err := stack.Start(t.Context(), cfg)
	if err != nil {
		t.Fatalf("start servers: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("stop servers: %v", err)
		}
	})
	if cfg.Graph && s.GraphURL() == "" {
		t.Fatal("start servers: the graph server can't run here")
	}
	return s
}

// Redis returns a client of the tweets server, closed when the test ends.
func Redis(t testing.TB, s *stack.Stack) rueidis.Client {
	t.Helper()
	option, err := rueidis.ParseURL(s.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	client, err := rueidis.NewClient(option)
	if err != nil {
		t.Fatalf("connect to redis: %v", err)
	}
	t.Cleanup(client.Close)
	return client
}
