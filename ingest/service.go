package ingest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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
	// stopTime bounds what a service still does after it was told to stop. The
	// servers of the all-in-one stop behind it, and all of that in 10 s.
	stopTime = 5 * time.Second
	// drainTime is how much of it goes to storing what was read; with a large
	// backlog the rest stays in JetStream.
	drainTime = 2500 * time.Millisecond
	// askTime is how long JetStream may take for what it is asked at the start:
	// it syncs, and a disk may be slow.
	askTime = 30 * time.Second
	// leaveTime is how much of it goes to the last words in the status.
	leaveTime = time.Second
)

// Service is a connected ingest service.
type Service struct {
	cfg       Config
	redis     *dial.RedisClient
	nats      *nats.Conn
	js        jetstream.JetStream
	consumer  jetstream.Consumer
	waiting   uint64           // the last message that was on the stream at the start
	backlog   atomic.Int64     // messages that wait to be stored
	migration *index.Migration // nil: nothing to do
	tally     *tally
	control   *control
	metrics   *metrics
	troubles  troubles
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
	if s.js, err = jetstream.New(s.nats, jetstream.WithDefaultTimeout(askTime)); err != nil {
		return s, fmt.Errorf("open jetstream: %w", err)
	}
	if s.consumer, s.waiting, err = ensureStreams(ctx, s.js); err != nil {
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
	s.tally = newTally(s.redis, rand.Text(), s.sourceNames(), cfg.Log)
	s.tally.troubles = &s.troubles
	if s.run, err = s.tally.start(ctx, rand.Text(), cfg.NewRun); err != nil {
		return s, fmt.Errorf("start the status: %w", err)
	}
	if s.control, err = newControl(ctx, s); err != nil {
		return s, err
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

// readyTime is how long JetStream and Redis may take to answer. It leaves time to
// say so.
const readyTime = time.Second

// Ready returns nil while the service can do its work, else all that keeps it
// from that. The servers are asked, since the connection to one that hangs looks
// whole for minutes; that they take no writes shows in the work.
func (s *Service) Ready(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	asked := make(chan error, 2)
	go func() { asked <- s.natsReady(asking) }()
	go func() { asked <- index.Ready(asking, s.redis) }()
	return errors.Join(<-asked, <-asked, s.troubles.err())
}

func (s *Service) natsReady(ctx context.Context) error {
	if !s.nats.IsConnected() {
		return errors.New("nats: not connected")
	}
	_, err := s.consumer.Info(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("nats: no answer in %s", readyTime)
	case err != nil:
		return fmt.Errorf("nats: ask for the consumer: %w", err)
	}
	return nil
}

// Run reads the sources to their end and returns when everything is stored and
// synced, or, with Config.Stay, when ctx ends; then startStream has them read
// again. When ctx ends it stops reading, hands over what was read, stores for a
// while and leaves the rest to JetStream. Errors of single sources come back
// joined, after the others have been read.
func (s *Service) Run(ctx context.Context) error {
	work, stopWork := context.WithCancel(context.Background())
	defer stopWork()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, stopWork) })()
	// Calls to a Redis that hangs do not all look at their context.
	defer context.AfterFunc(work, s.redis.Cut)()

	p := newPublisher(work, s)
	w := newWriter(s, p.keep)
	var beside, writer errgroup.Group
	serving, stopServing := context.WithCancel(work)
	defer stopServing()
	writing, stopWriting := context.WithCancel(work)
	defer stopWriting()
	migrated := make(chan struct{})
	beside.Go(func() error { return s.tally.Run(serving) })
	beside.Go(func() error { return s.control.Run(serving) })
	beside.Go(func() error {
		return (&relay{client: s.redis, js: s.js, log: s.cfg.Log}).Run(serving)
	})
	beside.Go(func() error { return s.watchBacklog(serving, w) })
	beside.Go(func() error { defer close(migrated); return s.migrate(serving, w) })
	writer.Go(func() error { return w.Run(writing, work) })

	err := s.rounds(ctx, work, p)
	if !s.cfg.Stay { // with the sources read there is time for a migration
		select {
		case <-migrated:
		case <-ctx.Done():
		}
	}
	stopWriting()
	err = errors.Join(err, writer.Wait())
	stopServing()
	err = errors.Join(err, beside.Wait())
	s.leave(work)
	return err
}

// rounds reads the sources and waits until they are stored, with Config.Stay
// again and again. It returns the error of the last round.
func (s *Service) rounds(ctx, work context.Context, p *Publisher) error {
	for {
		err := errors.Join(s.readAll(ctx, p), p.Settle())
		drained := s.drain(ctx, work, p.last())
		version := s.control.now().Version
		if drained {
			s.tally.finished()
			s.summarize(ctx)
		}
		if !s.cfg.Stay || ctx.Err() != nil {
			return err
		}
		if err != nil {
			s.cfg.Log.Error("read tweets", "err", err)
		}
		if !s.control.startedAgain(ctx, version) {
			return err
		}
	}
}

// drain waits until the stream is stored up to the message that was published
// last, and reports whether it is. When ctx ends, it waits a little longer.
func (s *Service) drain(ctx, work context.Context, last uint64) bool {
	bar := newStoringBar(s.cfg.Bar)
	defer bar.Close()
	if awaitStored(ctx, s.consumer, last, bar.left) == nil {
		return true
	}
	more, cancel := context.WithTimeout(work, drainTime)
	defer cancel()
	_ = awaitStored(more, s.consumer, last, bar.left) // what is left comes at the next start
	return false
}

// leave takes the service off the line.
func (s *Service) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	s.summarize(ctx)
	if err := s.tally.leave(ctx); err != nil {
		s.cfg.Log.Warn("write the status", "err", err)
	}
}

// summarize prints the totals, once.
func (s *Service) summarize(ctx context.Context) {
	if s.cfg.Summary == nil {
		return
	}
	if err := s.tally.flush(ctx); err != nil {
		return // the status is told to be out of date elsewhere
	}
	status, err := line.Status(ctx, s.redis)
	if err == nil {
		fmt.Fprintln(s.cfg.Summary, summary(status, time.Since(s.started)))
		s.cfg.Summary = nil
	}
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
