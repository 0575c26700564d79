package query

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"

	"visualizer/internal/access"
	"visualizer/internal/dial"
	"visualizer/internal/line"
	"visualizer/query/feed"
	"visualizer/query/search"
	"visualizer/query/server"
)

// Config is what the service needs. The caller has checked it.
type Config struct {
	RedisURL string
	// NATSURL is where ingest tells what it has stored. "" without NATSOptions:
	// nobody can subscribe to tweets, and all else works.
	NATSURL     string
	NATSOptions []nats.Option
	// Deadline bounds each GraphQL operation.
	Deadline time.Duration
	// Access says who may ask.
	Access access.Config
	// ShowPlans lets requests see the searches that their pages took.
	ShowPlans bool
	// Admin says who may send mutations.
	Admin   server.Admin
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Service is a connected query service.
type Service struct {
	redis *dial.RedisClient
	store *search.Store
	nats  *nats.Conn // may be nil
	feed  *feed.Feed
	edge  *server.Edge
	http  http.Server
}

// drainTime is how long answers under way may take after the service was told
// to stop.
const drainTime = 5 * time.Second

// New connects to Redis, and begins to connect to NATS.
func New(ctx context.Context, cfg Config) (*Service, error) {
	redis, err := dial.Redis(ctx, cfg.RedisURL, "visualizer-query", redisOptions)
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, cfg)
	if err != nil {
		redis.Close()
		return nil, err
	}
	store := search.NewCached(redis)
	follow := feed.New(store, feed.DefaultLimits(), cfg.Log)
	edge := server.New(server.Config{Store: store, Stream: line.NewStream(redis), Feed: follow, Access: cfg.Access, Admin: cfg.Admin, ShowPlans: cfg.ShowPlans, Deadline: cfg.Deadline, Log: cfg.Log})
	caches := store.Caches()
	caches["responses"] = edge.Cache()
	cfg.Metrics.MustRegister(cacheMetrics(caches), store.Metrics())
	cfg.Metrics.MustRegister(follow.Metrics()...)
	return &Service{redis: redis, store: store, nats: conn, feed: follow, edge: edge, http: http.Server{
		Handler:           edge,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}}, nil
}

// redisOptions has the client use one connection. Of several, the keys of one
// question lie on different ones, and waiting for these takes longer than
// reading them; Redis itself does one thing at a time.
func redisOptions(o *rueidis.ClientOption) {
	o.PipelineMultiplex = -1
	o.RetryDelay = retryDelay
}

// connect connects to NATS, now or whenever it answers: what needs no NATS goes
// on without. It returns nil when there is none.
func connect(ctx context.Context, cfg Config) (*nats.Conn, error) {
	if cfg.NATSURL == "" && len(cfg.NATSOptions) == 0 {
		return nil, nil
	}
	return dial.NATS(ctx, cfg.NATSURL, "visualizer-query", append([]nats.Option{nats.RetryOnFailedConnect(true)}, cfg.NATSOptions...)...)
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

// FeedReady returns nil while new tweets can be followed.
func (s *Service) FeedReady(ctx context.Context) error { return s.feed.Ready(ctx) }

// Serve answers on ln until ctx ends and the answers under way are given.
func (s *Service) Serve(ctx context.Context, ln net.Listener) error {
	if s.nats == nil {
		return s.serve(ctx, ln)
	}
	g, failed := errgroup.WithContext(ctx)
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	g.Go(func() error { return s.feed.Run(following, s.nats) })
	g.Go(func() error {
		defer stop()
		return s.serve(failed, ln)
	})
	return g.Wait()
}

func (s *Service) serve(ctx context.Context, ln net.Listener) error {
	drained := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(drained)
		s.drain()
	})
	if err := s.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		if !stop() {
			<-drained
		}
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	}
	<-drained
	return nil
}

// drain ends the connections that stay, and takes no others until the answers
// under way are given.
func (s *Service) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	var ended sync.WaitGroup
	defer ended.Wait()
	ended.Go(s.edge.Close)
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
}

// Close drops the connections to Redis and NATS.
func (s *Service) Close() {
	if s.nats != nil {
		s.nats.Close()
	}
	s.redis.Cut() // nobody waits for an answer any more
	s.redis.Close()
}
