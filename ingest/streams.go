package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"visualizer/schema"
)

const (
	// ackWait is how long JetStream waits before it delivers again what a
	// writer took and, being killed, will never ack.
	ackWait = 5 * time.Second
	// maxAckPending must hold what the wait for Redis' sync, about a second,
	// keeps unacked: 3 s of more messages than any source fills.
	maxAckPending = 4096
	// maxStreamBytes bounds what waits for Redis. Beyond it JetStream refuses
	// and the sources wait.
	maxStreamBytes = 4 << 30
	// maxLetterBytes bounds the dead letters kept; the oldest go first.
	maxLetterBytes = 256 << 20
	// duplicateWindow is how long JetStream knows a batch again that was sent
	// twice because its ack was late.
	duplicateWindow = 2 * time.Minute
)

// ensureStreams creates the streams and the writer's consumer, or brings them
// up to date. TWEETS keeps a message until every consumer has acked it, so the
// consumer must be there before the first message is.
func ensureStreams(ctx context.Context, js jetstream.JetStream) (jetstream.Consumer, error) {
	_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
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
		return nil, fmt.Errorf("create stream %s: %w", schema.StreamTweets, err)
	}
	_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        schema.StreamDeadLetters,
		Description: "Records that could not be tweets",
		Subjects:    []string{schema.SubjectDeadLetters + ".>"},
		Storage:     jetstream.FileStorage,
		MaxBytes:    maxLetterBytes,
	})
	if err != nil {
		return nil, fmt.Errorf("create stream %s: %w", schema.StreamDeadLetters, err)
	}
	consumer, err := js.CreateOrUpdateConsumer(ctx, schema.StreamTweets, jetstream.ConsumerConfig{
		Durable:       schema.ConsumerWriter,
		Description:   "Stores tweets in Redis",
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxAckPending: maxAckPending,
	})
	if err != nil {
		return nil, fmt.Errorf("create consumer %s: %w", schema.ConsumerWriter, err)
	}
	return consumer, nil
}

// drained reports whether every message of the stream is stored and acked.
func drained(ctx context.Context, consumer jetstream.Consumer) (bool, error) {
	info, err := consumer.Info(ctx)
	if err != nil {
		return false, fmt.Errorf("read consumer %s: %w", schema.ConsumerWriter, err)
	}
	return info.NumPending == 0 && info.NumAckPending == 0, nil
}

// awaitDrained returns when drained or when ctx ends.
func awaitDrained(ctx context.Context, consumer jetstream.Consumer) error {
	for {
		done, err := drained(ctx, consumer)
		switch {
		case done:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			pause(ctx, time.Second) // the server is away: it may come back
		}
		pause(ctx, 20*time.Millisecond)
	}
}
