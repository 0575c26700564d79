package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/schema"
)

const (
	// ackWait is how long JetStream waits before it delivers again what a
	// writer took and, being killed, will never ack.
	ackWait = 5 * time.Second
	// maxAckPending must hold what the wait for Redis' sync, about a second,
	// keeps unacked, and bounds the memory that takes when it is longer: 5 s of
	// the 200 messages a second that a publisher's linger allows.
	maxAckPending = 1024
	// maxStreamBytes bounds what waits for Redis. Beyond it JetStream refuses
	// and the sources wait.
	maxStreamBytes = 4 << 30
	// maxLetterBytes bounds the dead letters kept; the oldest go first.
	maxLetterBytes = 256 << 20
	// maxStoredBytes and maxStoredAge bound what is kept of what was stored, in
	// the server's memory: who follows and is behind by more has a gap. A tweet
	// takes about 22 bytes.
	maxStoredBytes = 16 << 20
	maxStoredAge   = 5 * time.Minute
	// duplicateWindow is how long JetStream knows a batch again that was sent
	// twice because its ack was late.
	duplicateWindow = 2 * time.Minute
)

// ensureStreams creates the streams and the writer's consumer, or brings them
// up to date. TWEETS keeps a message until every consumer has acked it, so the
// consumer must be there before the first message is. last is the last message
// on TWEETS.
func ensureStreams(ctx context.Context, js jetstream.JetStream) (consumer jetstream.Consumer, last uint64, err error) {
	tweets, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        schema.StreamTweets,
		Description: "Tweets on their way from a source to Redis",
		Subjects:    []string{schema.SubjectTweets},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.InterestPolicy,
		Discard:     jetstream.DiscardNew,
		MaxBytes:    maxStreamBytes,
		Duplicates:  duplicateWindow,
	})
	if err != nil {
		return nil, 0, streamError(schema.StreamTweets, err)
	}
	_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        schema.StreamDeadLetters,
		Description: "Records that could not be tweets",
		Subjects:    []string{schema.SubjectDeadLetters + ".>"},
		Storage:     jetstream.FileStorage,
		MaxBytes:    maxLetterBytes,
	})
	if err != nil {
		return nil, 0, streamError(schema.StreamDeadLetters, err)
	}
	_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        schema.StreamStored,
		Description: "Which tweets were stored, for those who follow",
		Subjects:    []string{schema.SubjectStored},
		Storage:     jetstream.MemoryStorage,
		MaxBytes:    maxStoredBytes,
		MaxAge:      maxStoredAge,
	})
	if err != nil {
		return nil, 0, streamError(schema.StreamStored, err)
	}
	consumer, err = js.CreateOrUpdateConsumer(ctx, schema.StreamTweets, jetstream.ConsumerConfig{
		Durable:       schema.ConsumerWriter,
		Description:   "Stores tweets in Redis",
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxAckPending: maxAckPending,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("create consumer %s: %w", schema.ConsumerWriter, err)
	}
	return consumer, tweets.CachedInfo().State.LastSeq, nil
}

// streamError says what to do about a stream that can't be created.
func streamError(name string, err error) error {
	advice := ""
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		advice = ": start nats-server with JetStream (-js)"
	case errors.As(err, &api) && api.ErrorCode == insufficientStorage:
		advice = fmt.Sprintf(": the server must allow %d GiB of file storage (max_file_store)", (maxStreamBytes+maxLetterBytes)>>30+1)
	}
	return fmt.Errorf("create stream %s: %w%s", name, err, advice)
}

// insufficientStorage is JetStream's code for a stream that may become larger
// than the server allows.
const insufficientStorage jetstream.ErrorCode = 10047

// awaitStored returns when the stream is stored and acked up to the message
// last, or when ctx ends. What others publish behind it doesn't matter. tell
// gets how many messages are left, from time to time.
func awaitStored(ctx context.Context, consumer jetstream.Consumer, last uint64, tell func(uint64)) error {
	for {
		info, err := consumer.Info(ctx)
		switch {
		case err == nil && storedUpTo(info, last):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			pause(ctx, time.Second) // the server is away: it may come back
			continue
		}
		tell(unacked(info))
		pause(ctx, 20*time.Millisecond)
	}
}

// storedUpTo reports whether a message and all before it are acked. That none is
// pending is not enough: just after a publish the consumer may not know of it.
func storedUpTo(info *jetstream.ConsumerInfo, last uint64) bool {
	return info.AckFloor.Stream >= last || info.Delivered.Stream >= last && unacked(info) == 0
}

// unacked is how many messages are not stored and acked yet.
func unacked(info *jetstream.ConsumerInfo) uint64 {
	return info.NumPending + uint64(info.NumAckPending)
}

const (
	// maxBacklog is how many messages files may be ahead of what is acked: more
	// than the writer stores in the two seconds that an ack may wait for Redis'
	// sync, or it would be the files that wait. Much more would only fill the
	// disk.
	maxBacklog = 256
	// backlogEvery is how often one looks how many there are.
	backlogEvery = 100 * time.Millisecond
)

// lagEvery is how often one looks how old the backlog is.
const lagEvery = time.Second

// watchBacklog notes how far behind the writer is, and tells it how far the stream
// is acked, until ctx ends.
func (s *Service) watchBacklog(ctx context.Context, w *Writer) error {
	var looked time.Time
	for ; ctx.Err() == nil; pause(ctx, backlogEvery) {
		info, err := s.consumer.Info(ctx)
		if err != nil {
			continue
		}
		s.backlog.Store(int64(unacked(info)))
		s.metrics.pending.Set(float64(unacked(info)))
		w.forget(ctx, info)
		if time.Since(looked) > lagEvery {
			looked = time.Now()
			s.watchLag(ctx)
		}
	}
	return nil
}

// watchLag notes the age of the oldest message on the stream, which keeps none
// that is acked.
func (s *Service) watchLag(ctx context.Context) {
	stream, err := s.js.Stream(ctx, schema.StreamTweets)
	if err != nil {
		return // what was seen last stays: /readyz tells of the server
	}
	lag := 0.0
	if state := stream.CachedInfo().State; state.Msgs > 0 {
		lag = max(time.Since(state.FirstTime).Seconds(), 0)
	}
	s.metrics.lag.Set(lag)
}

// awaitRoom returns when the backlog is short, or ctx ends.
func (s *Service) awaitRoom(ctx context.Context) {
	for s.backlog.Load() > maxBacklog && ctx.Err() == nil {
		pause(ctx, backlogEvery/4)
	}
}
