package ingest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"visualizer/schema"
)

const (
	// maxBatch bounds the events of a message. Many in one make JetStream's
	// sync to disk cheap.
	maxBatch = 1024
	// maxBatchBytes bounds its size, well below JetStream's limit of 1 MiB; a
	// single event may be larger, up to schema.MaxEventBytes.
	maxBatchBytes = 768 << 10
	// linger is how long the first event of a batch waits for more. While
	// maxEager batches wait for JetStream's ack it waits on: more of them would
	// only wait behind these.
	linger   = 5 * time.Millisecond
	maxEager = 4
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
	js       jetstream.JetStream
	run      string
	tally    *tally
	log      *slog.Logger
	metrics  *metrics
	tracer   trace.Tracer
	troubles *troubles
	seen     func(batch []byte, acked bool) // a test's eye on what JetStream has taken

	mu     sync.Mutex
	events [][]byte // encoded
	tweets int      // among them, in their own right
	bytes  int
	began  time.Time // when the first of them came
	place  uint64    // of the next event
	timer  *time.Timer

	flying   atomic.Int64  // batches that wait for JetStream's ack
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
		js: s.js, run: s.run, tally: s.tally, log: s.cfg.Log, metrics: s.metrics, tracer: s.cfg.tracer(), troubles: &s.troubles,
		seen: s.cfg.Published, work: work,
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
	if len(p.events) == 0 {
		p.began = time.Now()
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
		p.timer = time.AfterFunc(linger, p.lingered)
	}
	return nil
}

// lingered sends what has waited for more, unless it had better wait on.
func (p *Publisher) lingered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.events) > 0 && p.flying.Load() >= maxEager {
		p.timer.Reset(linger)
		return
	}
	p.flush()
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
	events, place := p.events, p.place
	b := batch{
		id: p.run + "-" + strconv.FormatUint(place, 36), tweets: p.tweets, began: p.began,
		msg: &nats.Msg{Subject: schema.SubjectTweets, Data: schema.EncodeBatch(p.run, place, events)},
	}
	p.place += uint64(len(events))
	p.events, p.tweets, p.bytes = nil, 0, 0
	if p.seen != nil {
		p.seen(b.msg.Data, false)
	}
	p.metrics.batch.Observe(float64(len(events)))
	b.span = startPublishing(p.tracer, &b, len(events))
	// Sent here, with p.mu held, so that batches reach JetStream in order.
	ack, err := p.js.PublishMsgAsync(b.msg, jetstream.WithMsgID(b.id))
	p.flying.Add(1)
	p.inFlight.Go(func() error {
		defer p.flying.Add(-1)
		return p.settle(b, ack, err)
	})
}

// batch is a message on its way to JetStream.
type batch struct {
	msg    *nats.Msg
	id     string // by which JetStream knows a second copy
	tweets int
	began  time.Time // when its first event came
	span   trace.Span
}

// Settle sends the rest and waits until JetStream has all or work ends.
func (p *Publisher) Settle() error {
	p.Flush()
	return p.inFlight.Wait()
}

// settle waits for the ack of a batch and sends the batch again until it gets
// one; the id makes a second copy known to JetStream.
func (p *Publisher) settle(b batch, ack jetstream.PubAckFuture, err error) error {
	defer b.span.End()
	var acked *jetstream.PubAck
	if err == nil {
		acked, err = p.await(ack)
	}
	if err != nil {
		p.log.Debug("publish tweets", "err", err)
		b.span.RecordError(err)
		if acked, err = p.publish(b.msg, b.id); err != nil {
			return err
		}
	}
	p.metrics.publish.Observe(time.Since(b.began).Seconds())
	p.reached(acked.Sequence)
	if p.seen != nil {
		p.seen(b.msg.Data, true)
	}
	p.metrics.published.Add(float64(b.tweets))
	p.tally.add(schema.StatusPublished, int64(b.tweets))
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
	p.inFlight.Go(func() error { _, err := p.keep(rand.Text(), letter, false); return err })
}

// keep publishes a dead letter and returns when JetStream has it. The id keeps
// a letter whose ack was late from being there twice. See keeper.
func (p *Publisher) keep(id string, letter schema.DeadLetter, again bool) (known bool, err error) {
	letter.Run, letter.At = p.run, schema.TimeOf(time.Now())
	letter.Raw = letter.Raw[:min(len(letter.Raw), schema.MaxRawBytes)]
	data, err := schema.Encode(letter)
	if err != nil {
		return false, fmt.Errorf("encode dead letter: %w", err)
	}
	msg := &nats.Msg{Subject: schema.SubjectDeadLetters + "." + string(letter.Reason), Data: data}
	acked, err := p.publish(msg, id)
	if err != nil {
		return false, err
	}
	if !again || !acked.Duplicate {
		p.metrics.rejected.WithLabelValues(string(letter.Reason)).Inc()
		p.tally.add(schema.StatusRejected+string(letter.Reason), 1)
	}
	return acked.Duplicate, nil
}

// publish tries until JetStream has acked or work ends. A stream that is full
// refuses, so that the sources wait instead of unread tweets being dropped.
func (p *Publisher) publish(msg *nats.Msg, id string) (*jetstream.PubAck, error) {
	acked, err := backoff.Retry(p.work, func() (*jetstream.PubAck, error) {
		ctx, cancel := context.WithTimeout(p.work, ackTimeout)
		defer cancel()
		return p.js.PublishMsg(ctx, msg, jetstream.WithMsgID(id))
	}, backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, wait time.Duration) {
		p.metrics.publishFailures.Inc()
		if p.troubles.note(partPublish, err) { // many may be under way
			p.log.Warn("publish tweets", "subject", msg.Subject, "err", err, "retry", wait)
		}
	}))
	if err != nil {
		return nil, fmt.Errorf("publish to %s: %w", msg.Subject, err)
	}
	p.troubles.note(partPublish, nil)
	return acked, nil
}
