package ingest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"

	"visualizer/internal/dial"
	"visualizer/internal/index"
	"visualizer/internal/line"
	"visualizer/schema"
)

const (
	// stopTime bounds what a service still does after it was told to stop.
	stopTime = 7 * time.Second
	// drainTime is how much of it goes to storing what was read; with a large
	// backlog the rest stays in JetStream.
	drainTime = 3 * time.Second
)

// Service is a connected ingest service.
type Service struct {
	cfg       Config
	redis     rueidis.Client
	nats      *nats.Conn
	js        jetstream.JetStream
	consumer  jetstream.Consumer
	migration *index.Migration // nil: nothing to do
	tally     *tally
	metrics   *metrics
	run       string
	started   time.Time
}

// New connects and creates what the line needs: the streams and the index. It
// returns once the index is complete.
func New(ctx context.Context, cfg Config) (s *Service, err error) {
	s = &Service{cfg: cfg, metrics: newMetrics(cfg.Metrics), started: time.Now()}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	s.redis, err = dial.Redis(ctx, cfg.RedisURL, "visualizer-ingest", func(o *rueidis.ClientOption) { o.DisableCache = true })
	if err != nil {
		return s, err
	}
	if s.nats, err = dial.NATS(ctx, cfg.NATSURL, "visualizer-ingest", cfg.NATSOptions...); err != nil {
		return s, err
	}
	if s.js, err = jetstream.New(s.nats); err != nil {
		return s, fmt.Errorf("open jetstream: %w", err)
	}
	if s.consumer, err = ensureStreams(ctx, s.js); err != nil {
		return s, err
	}
	if s.migration, err = index.Ensure(ctx, s.redis, cfg.Log); err != nil {
		return s, err
	}
	if err = index.Await(ctx, s.redis, cfg.Log); err != nil {
		return s, err
	}
	if err = cfg.Metrics.Register(indexFailures(s.redis)); err != nil {
		return s, fmt.Errorf("register metrics: %w", err)
	}
	s.tally = newTally(s.redis, cfg.Log)
	s.run, err = s.tally.start(ctx, rand.Text(), s.sourceNames(), cfg.NewRun)
	if err != nil {
		return s, fmt.Errorf("start the status: %w", err)
	}
	return s, nil
}

// flushTime is how long the last acks may take to reach the server.
const flushTime = time.Second

// Close drops the connections.
func (s *Service) Close() {
	if s.nats != nil {
		if err := s.nats.FlushTimeout(flushTime); err != nil {
			s.cfg.Log.Debug("flush nats", "err", err)
		}
		s.nats.Close()
	}
	if s.redis != nil {
		s.redis.Close()
	}
}

func (s *Service) sourceNames() string {
	names := make([]string, len(s.cfg.Sources))
	for i, src := range s.cfg.Sources {
		names[i] = src.Name()
	}
	return strings.Join(names, " ")
}

// readyTime is how long JetStream may take to answer. It leaves time to say so.
const readyTime = time.Second

// Ready returns nil while the service can do its work. JetStream is asked, since
// the connection to a server that hangs looks whole for minutes.
func (s *Service) Ready(ctx context.Context) error {
	if !s.nats.IsConnected() {
		return errors.New("nats: not connected")
	}
	asking, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	if _, err := s.consumer.Info(asking); err != nil {
		return fmt.Errorf("nats: ask for the consumer: %w", err)
	}
	return index.Ready(ctx, s.redis)
}

// Run reads the sources to their end and returns when everything is stored and
// synced. When ctx ends it stops reading, hands over what was read, stores for a
// while and leaves the rest to JetStream. Errors of single sources come back
// joined, after the others have been read.
func (s *Service) Run(ctx context.Context) error {
	work, stopWork := context.WithCancel(context.Background())
	defer stopWork()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, stopWork) })()

	p := newPublisher(work, s)
	w := newWriter(s, p.keep)

	serving, stopServing := context.WithCancel(work)
	defer stopServing()
	var g errgroup.Group
	g.Go(func() error { return s.tally.Run(serving) })
	migrated := make(chan struct{})
	g.Go(func() error { defer close(migrated); return s.migrate(serving, w) })
	writing, stopWriting := context.WithCancel(work)
	defer stopWriting()
	written := make(chan error, 1)
	go func() { written <- w.Run(writing, work) }()

	readErr := s.readAll(ctx, p)
	readErr = errors.Join(readErr, p.Close())
	storing := newStoringBar(s.cfg.Bar)
	finished := awaitDrained(ctx, s.consumer, storing.left) == nil
	if !finished {
		drain, cancel := context.WithTimeout(work, drainTime)
		defer cancel()
		_ = awaitDrained(drain, s.consumer, storing.left) // what is left comes at the next start
	}
	storing.Close()
	stopWriting()
	err := errors.Join(readErr, <-written)
	if finished {
		s.tally.set(schema.StatusState, string(schema.StateFinished))
		select { // with the sources read, there is time for it
		case <-migrated:
		case <-ctx.Done():
		}
	}
	stopServing()
	err = errors.Join(err, g.Wait())
	s.conclude(work)
	return err
}

// migrate brings the index up to date. Cut short by the end of the service, it
// begins again at the next start.
func (s *Service) migrate(ctx context.Context, w *Writer) error {
	if s.migration == nil {
		return nil
	}
	if err := w.migrate(ctx, s.migration); err != nil && ctx.Err() == nil {
		return fmt.Errorf("migrate the index: %w", err)
	}
	return nil
}

// conclude writes the last state and prints the totals.
func (s *Service) conclude(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.tally.flush(ctx); err != nil {
		s.cfg.Log.Warn("write the status", "err", err)
		return
	}
	s.redis.Do(ctx, s.redis.B().Del().Key(schema.HeartbeatKey).Build()) // it ends by itself as well
	status, err := line.Status(ctx, s.redis)
	if err == nil && s.cfg.Summary != nil {
		fmt.Fprintln(s.cfg.Summary, summary(status, time.Since(s.started)))
	}
}

// summary is the closing line.
func summary(s *schema.Status, took time.Duration) string {
	var control, rejected int64
	for _, c := range s.Control {
		control += c.Count
	}
	for _, r := range s.Rejected {
		rejected += r.Count
	}
	line := fmt.Sprintf("%d received in %s: %d stored, %d updated, %d duplicates, %d control, %d rejected",
		s.Received, took.Round(100*time.Millisecond), s.Stored, s.Updated, s.Duplicates, control, rejected)
	if s.Pending > 0 {
		line += fmt.Sprintf(", %d pending for the next start", s.Pending)
	}
	return line
}

// readAll reads the sources side by side.
func (s *Service) readAll(ctx context.Context, p *Publisher) error {
	r := newReader(s, p)
	defer r.bar.Close()
	errs := make([]error, len(s.cfg.Sources))
	var g errgroup.Group
	for i, src := range s.cfg.Sources {
		g.Go(func() error { errs[i] = r.read(ctx, src); return nil })
	}
	g.Wait()
	return errors.Join(errs...)
}
