package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"visualizer/schema"
)

const (
	// maxBatch bounds the events of a message. Many in one make JetStream's
	// sync to disk cheap.
	maxBatch = 256
	// maxBatchBytes bounds its size, well below JetStream's limit of 1 MiB; a
	// single event may be larger, up to schema.MaxEventBytes.
	maxBatchBytes = 256 << 10
	// linger is how long the first event of a batch waits for more.
	linger = 5 * time.Millisecond
	// maxInFlight bounds the batches that wait for JetStream's ack; then the
	// sources wait too.
	maxInFlight = 64
	// ackTimeout is how long one try waits for that ack.
	ackTimeout = 5 * time.Second
)

// Publisher hands events to JetStream in batches. A batch counts as delivered
// when JetStream has acked it, which it does once it is on disk. Add and
// SetAside may be called by many sources at once.
type Publisher struct {
	js      jetstream.JetStream
	run     string
	tally   *tally
	log     *slog.Logger
	metrics *metrics
	seen    func(batch []byte, acked bool) // a test's eye on what JetStream has taken

	mu     sync.Mutex
	events [][]byte // encoded
	tweets int      // among them, in their own right
	bytes  int
	place  uint64 // of the next event
	timer  *time.Timer

	newest   atomic.Uint64 // the last message that JetStream acked
	inFlight errgroup.Group
	work     context.Context
}

// placeBits leaves a run room for 4,096 events a millisecond before its places
// would reach those of a run that starts later.
const placeBits = 12

// newPublisher returns the publisher of a service, which publishes for as long
// as work lasts. The time of start separates the places of this run from those
// of earlier ones.
func newPublisher(work context.Context, s *Service) *Publisher {
	p := &Publisher{
		js: s.js, run: s.run, tally: s.tally, log: s.cfg.Log, metrics: s.metrics, seen: s.cfg.Published, work: work,
		place: uint64(s.started.UnixMilli()) << placeBits,
	}
	p.newest.Store(s.waiting)
	p.inFlight.SetLimit(maxInFlight)
	return p
}

// errTooLarge: an event that fits no message.
var errTooLarge = fmt.Errorf("over %d bytes encoded", schema.MaxEventBytes)

// Add takes an event. It waits while JetStream takes no more. An event over
// schema.MaxEventBytes is refused with errTooLarge.
func (p *Publisher) Add(e schema.Event) error {
	data, err := schema.Encode(e)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	if len(data) > schema.MaxEventBytes {
		return errTooLarge
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.events) > 0 && p.bytes+len(data) > maxBatchBytes {
		p.flush()
	}
	p.events = append(p.events, data)
	p.bytes += len(data)
	if e.Kind == schema.KindTweet {
		p.tweets++
	}
	switch {
	case len(p.events) >= maxBatch:
		p.flush()
	case len(p.events) == 1:
		// Armed by the first event and not reset by others, so that it bounds
		// how long any of them waits.
		p.timer = time.AfterFunc(linger, p.Flush)
	}
	return nil
}

// Flush sends what is waiting for more.
func (p *Publisher) Flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush()
}

// flush sends the batch, with p.mu held.
func (p *Publisher) flush() {
	if len(p.events) == 0 {
		return
	}
	p.timer.Stop()
	events, tweets, place := p.events, p.tweets, p.place
	p.place += uint64(len(events))
	p.events, p.tweets, p.bytes = nil, 0, 0
	data := schema.EncodeBatch(p.run, place, events)
	if p.seen != nil {
		p.seen(data, false)
	}
	// Sent here, with p.mu held, so that batches reach JetStream in order.
	id := p.run + "-" + strconv.FormatUint(place, 36)
	ack, err := p.js.PublishAsync(schema.SubjectTweets, data, jetstream.WithMsgID(id))
	p.inFlight.Go(func() error { return p.settle(data, id, tweets, ack, err) })
}

// Close sends the rest and waits until JetStream has all or work ends.
func (p *Publisher) Close() error {
	p.Flush()
	return p.inFlight.Wait()
}

// settle waits for the ack of a batch and sends the batch again until it gets
// one; the id makes a second copy known to JetStream.
func (p *Publisher) settle(data []byte, id string, tweets int, ack jetstream.PubAckFuture, err error) error {
	var acked *jetstream.PubAck
	if err == nil {
		acked, err = p.await(ack)
	}
	if err != nil {
		p.log.Debug("publish tweets", "err", err)
		if acked, err = p.publish(schema.SubjectTweets, id, data); err != nil {
			return err
		}
	}
	p.reached(acked.Sequence)
	if p.seen != nil {
		p.seen(data, true)
	}
	p.metrics.published.Add(float64(tweets))
	p.tally.add(schema.StatusPublished, int64(tweets))
	return nil
}

// reached notes a message that JetStream has taken.
func (p *Publisher) reached(sequence uint64) {
	for {
		newest := p.newest.Load()
		if sequence <= newest || p.newest.CompareAndSwap(newest, sequence) {
			return
		}
	}
}

// last is the last message of this publisher, or that was there before it.
func (p *Publisher) last() uint64 { return p.newest.Load() }

func (p *Publisher) await(ack jetstream.PubAckFuture) (*jetstream.PubAck, error) {
	timer := time.NewTimer(ackTimeout)
	defer timer.Stop()
	select {
	case acked := <-ack.Ok():
		return acked, nil
	case err := <-ack.Err():
		return nil, err
	case <-timer.C:
		return nil, errors.New("no ack in " + ackTimeout.String())
	case <-p.work.Done():
		return nil, p.work.Err()
	}
}

// SetAside keeps a record that can't be a tweet, and counts it. It does not wait
// for the ack, unless many are under way.
func (p *Publisher) SetAside(letter schema.DeadLetter) {
	p.inFlight.Go(func() error { return p.keep(letter) })
}

// keep publishes a dead letter and returns when JetStream has it.
func (p *Publisher) keep(letter schema.DeadLetter) error {
	letter.Run, letter.At = p.run, schema.TimeOf(time.Now())
	letter.Raw = letter.Raw[:min(len(letter.Raw), schema.MaxRawBytes)]
	data, err := schema.Encode(letter)
	if err != nil {
		return fmt.Errorf("encode dead letter: %w", err)
	}
	if _, err := p.publish(schema.SubjectDeadLetters+"."+string(letter.Reason), "", data); err != nil {
		return err
	}
	p.metrics.rejected.WithLabelValues(string(letter.Reason)).Inc()
	p.tally.add(schema.StatusRejected+string(letter.Reason), 1)
	return nil
}

// publish tries until JetStream has acked or work ends. A stream that is full
// refuses, so that the sources wait instead of unread tweets being dropped.
func (p *Publisher) publish(subject, id string, data []byte) (*jetstream.PubAck, error) {
	told := false
	acked, err := backoff.Retry(p.work, func() (*jetstream.PubAck, error) {
		ctx, cancel := context.WithTimeout(p.work, ackTimeout)
		defer cancel()
		var opts []jetstream.PublishOpt
		if id != "" {
			opts = append(opts, jetstream.WithMsgID(id))
		}
		return p.js.Publish(ctx, subject, data, opts...)
	}, backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, wait time.Duration) {
		p.metrics.publishFailures.Inc()
		if !told {
			p.log.Warn("publish tweets", "subject", subject, "err", err, "retry", wait)
		}
		told = true
	}))
	if err != nil {
		return nil, fmt.Errorf("publish to %s: %w", subject, err)
	}
	return acked, nil
}
