package ingest

import (
	"context"
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

// left returns how many messages of the stream are not stored and acked yet.
func left(ctx context.Context, consumer jetstream.Consumer) (uint64, error) {
	info, err := consumer.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("read consumer %s: %w", schema.ConsumerWriter, err)
	}
	return info.NumPending + uint64(info.NumAckPending), nil
}

// awaitDrained returns when every message is stored and acked, or when ctx
// ends. tell gets how many are left, from time to time.
func awaitDrained(ctx context.Context, consumer jetstream.Consumer, tell func(uint64)) error {
	for {
		n, err := left(ctx, consumer)
		switch {
		case err == nil && n == 0:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			pause(ctx, time.Second) // the server is away: it may come back
			continue
		}
		tell(n)
		pause(ctx, 20*time.Millisecond)
	}
}
