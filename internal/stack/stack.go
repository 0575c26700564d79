package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats.go"
)

// stopTime bounds how long each server may take to stop before it is killed.
// Close stops them side by side, so this bounds Close too.
const stopTime = 4 * time.Second

// Config says which servers to start and where they keep their files.
type Config struct {
	// Data is the folder for redis/, graph/, nats/ and lock. It is created
	// with mode 0700. It isn't touched when nothing has to be started.
	Data string
	// RedisURL, GraphURL and NATSURL name servers that exist already; they
	// are passed on unchecked, and nothing is started in their place.
	RedisURL, GraphURL, NATSURL string
	// Graph asks for the graph server too.
	Graph bool
	// CacheDir holds the unpacked servers. Default: visualizer/ in the user's
	// cache folder, or Data/cache for a user who has none.
	CacheDir string
	// Log gets state changes of the servers. Default: slog.Default().
	Log *slog.Logger
	// Progress, if set, gets one line for each download.
	Progress io.Writer
}

// Stack is a set of running servers. Its methods may be called from any goroutine.
type Stack struct {
	lock               *flock.Flock
	redisURL, graphURL string
	natsURL            string
	redis, graph       *redisServer
	nats               *natsServer
	closeOnce          sync.Once
	closeErr           error
}

// Start returns when every server asked for answers, its modules included, and
// has loaded what an earlier run stored. Only the graph is optional: where it
// can't run, a warning says why and GraphURL is empty. Ending ctx stops a Start
// that still waits, not a stack that runs.
func Start(ctx context.Context, cfg Config) (*Stack, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	s := &Stack{redisURL: cfg.RedisURL, graphURL: cfg.GraphURL, natsURL: cfg.NATSURL}
	if !cfg.startsRedis() && !cfg.startsGraph() && !cfg.startsNATS() {
		return s, nil
	}
	if err := cfg.prepare(); err != nil {
		return nil, err
	}
	var err error
	if s.lock, err = lockData(ctx, cfg.Data); err != nil {
		return nil, err
	}
	if err := s.start(ctx, cfg); err != nil {
		if cerr := s.Close(); cerr != nil {
			cfg.Log.Warn("stop servers", "err", cerr)
		}
		return nil, err
	}
	return s, nil
}

func (cfg Config) startsRedis() bool { return cfg.RedisURL == "" }
func (cfg Config) startsGraph() bool { return cfg.GraphURL == "" && cfg.Graph }
func (cfg Config) startsNATS() bool  { return cfg.NATSURL == "" }

// prepare makes the data folder and its path absolute: the servers have other
// working folders than this process.
func (cfg *Config) prepare() error {
	if cfg.Data == "" {
		return errors.New("start servers: no data folder is given: choose one with --data")
	}
	dir, err := filepath.Abs(cfg.Data)
	if err != nil {
		return fmt.Errorf("find data folder %s: %w", cfg.Data, err)
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	// A resolved path is what /proc shows for a server that works there.
	if cfg.Data, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("find data folder %s: %w", dir, cause(err))
	}
	if cfg.CacheDir == "" {
		cfg.CacheDir = defaultCache(cfg.Data)
	}
	return nil
}

// defaultCache is the user's own cache folder, so that every data folder shares
// one download. Service users often have no home, or one that doesn't exist, or
// still that of the user they were.
func defaultCache(data string) string {
	if dir, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(dir, "visualizer")
		if os.MkdirAll(dir, 0o700) == nil && readable(dir) {
			return dir
		}
	}
	return filepath.Join(data, "cache")
}

func readable(dir string) bool {
	_, err := os.ReadDir(dir)
	return err == nil
}

func (s *Stack) start(ctx context.Context, cfg Config) (err error) {
	if cfg.startsNATS() {
		if s.nats, err = startNATS(ctx, filepath.Join(cfg.Data, natsDir), cfg.Log); err != nil {
			return err
		}
	}
	if cfg.startsRedis() {
		if s.redis, err = startRole(ctx, cfg, tweetsRole()); err != nil {
			return err
		}
		s.redisURL = s.redis.url()
	}
	if !cfg.startsGraph() {
		return nil
	}
	s.graph, err = startRole(ctx, cfg, graphRole())
	switch {
	case err == nil:
		s.graphURL = s.graph.url()
	case ctx.Err() != nil:
		return err
	default:
		cfg.Log.Warn("the mention graph is off", "err", err)
	}
	return nil
}

// startRole finds a program for the role and runs it in the role's own folder.
func startRole(ctx context.Context, cfg Config, r role) (*redisServer, error) {
	dir := filepath.Join(cfg.Data, r.name)
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	bin, err := findProgram(ctx, cfg, r)
	if err != nil {
		return nil, err
	}
	s, err := startRedis(ctx, r, bin, dir, cfg.Log)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s, or give %s", err, r.advice, r.flag)
	}
	return s, err
}

// RedisURL is the URL of the tweets server, for rueidis.ParseURL.
func (s *Stack) RedisURL() string { return s.redisURL }

// GraphURL is the URL of the graph server, or "" where there is none.
func (s *Stack) GraphURL() string { return s.graphURL }

// NATS returns what nats.Connect needs. The options, not the URL, lead to the
// embedded server.
func (s *Stack) NATS() (url string, opts []nats.Option) {
	if s.nats == nil {
		return s.natsURL, nil
	}
	return nats.DefaultURL, []nats.Option{nats.InProcessServer(s.nats.server)}
}

// Close stops the servers that Start started, within about 4 seconds, and frees
// the data folder. Clients should be closed before. A server that doesn't stop in
// time is killed and reported; what it had acknowledged is on disk all the same.
func (s *Stack) Close() error {
	s.closeOnce.Do(func() { s.closeErr = s.stop() })
	return s.closeErr
}

func (s *Stack) stop() error {
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i, server := range []*redisServer{s.redis, s.graph} {
		if server != nil {
			wg.Go(func() { errs[i] = server.stop(stopTime) })
		}
	}
	if s.nats != nil {
		wg.Go(func() { errs[2] = s.nats.stop(stopTime) })
	}
	wg.Wait()
	// The lock goes last: until here somebody may still write.
	if s.lock != nil {
		errs[3] = s.lock.Unlock()
	}
	return errors.Join(errs...)
}
