package query

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/redis/rueidis"

	"visualizer/internal/dial"
	"visualizer/query/search"
	"visualizer/query/server"
)

// Config is what the service needs. The caller has checked it.
type Config struct {
	RedisURL string
	// Deadline bounds each GraphQL operation.
	Deadline time.Duration
	Log      *slog.Logger
}

// Service is a connected query service.
type Service struct {
	redis *dial.RedisClient
	store *search.Store
	http  http.Server
}

// drainTime is how long answers under way may take after the service was told
// to stop.
const drainTime = 5 * time.Second

// New connects to Redis.
func New(ctx context.Context, cfg Config) (*Service, error) {
	redis, err := dial.Redis(ctx, cfg.RedisURL, "visualizer-query", func(o *rueidis.ClientOption) { o.RetryDelay = retryDelay })
	if err != nil {
		return nil, err
	}
	store := search.New(redis)
	return &Service{redis: redis, store: store, http: http.Server{
		Handler:           server.New(server.Config{Store: store, Deadline: cfg.Deadline, Log: cfg.Log}),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}}, nil
}

// maxRetries is how often a read is sent again when its connection broke. More
// would only hide from the client that Redis is away.
const maxRetries = 2

func retryDelay(attempts int, _ rueidis.Completed, _ error) time.Duration {
	if attempts > maxRetries {
		return -1
	}
	return time.Duration(attempts) * 20 * time.Millisecond
}

// Ready returns nil while the service can answer.
func (s *Service) Ready(ctx context.Context) error { return s.store.Ready(ctx) }

// Serve answers on ln until ctx ends and the answers under way are given.
func (s *Service) Serve(ctx context.Context, ln net.Listener) error {
	stop := context.AfterFunc(ctx, func() {
		drain, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		if s.http.Shutdown(drain) != nil {
			s.http.Close()
		}
	})
	defer stop()
	if err := s.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	}
	return nil
}

// Close drops the connection to Redis.
func (s *Service) Close() {
	s.redis.Cut() // nobody waits for an answer any more
	s.redis.Close()
}
