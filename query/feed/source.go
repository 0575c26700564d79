package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/schema"
)

const (
	// askTimeout bounds each question to JetStream.
	askTimeout = 2 * time.Second
	// againAfter is how long to wait before the source is opened again.
	againAfter = 100 * time.Millisecond
	// heartbeat is how often JetStream says that there is nothing new. When two
	// fail to come, the source is opened again.
	heartbeat = time.Second
	// idle is how long JetStream keeps a consumer that nobody reads.
	idle = 30 * time.Second
)

// position is how far the stream has been read.
type position struct {
	known    bool
	created  time.Time // of the stream: another one has other sequences
	sequence uint64    // of the last message
	reader   schema.StoredReader
}

// Run reads what is stored from JetStream, until ctx ends.
func (f *Feed) Run(ctx context.Context, conn *nats.Conn) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return fmt.Errorf("follow %s: %w", schema.StreamStored, err)
	}
	var at position
	lost := time.Now()
	f.open(fmt.Errorf("%w: NATS does not answer", ErrUnavailable))
	for ctx.Err() == nil {
		err := f.follow(ctx, conn, js, &at, func() { lost = time.Time{} })
		if ctx.Err() != nil {
			break
		}
		if lost.IsZero() {
			lost = time.Now()
			f.log.Info("what is stored can't be followed", "err", err)
		}
		if at.known && (time.Since(lost) > f.limits.Patience || errors.Is(err, jetstream.ErrStreamNotFound)) {
			f.interrupt(err)
			at = position{}
		}
		pause(ctx, againAfter)
	}
	return nil
}

// interrupt lets nobody in and ends who is.
func (f *Feed) interrupt(why error) {
	f.open(fmt.Errorf("%w: %w", ErrUnavailable, why))
	f.gap(why)
}

// follow reads from where at is until something breaks, and says so. It calls
// opened when it begins to read.
func (f *Feed) follow(ctx context.Context, conn *nats.Conn, js jetstream.JetStream, at *position, opened func()) error {
	session, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	broken := conn.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	defer conn.RemoveStatusListener(broken)
	if !conn.IsConnected() {
		return errors.New("NATS is not connected")
	}
	stream, err := f.locate(session, js, at)
	if err != nil {
		return err
	}
	messages, err := consume(session, stream, at.sequence+1)
	if err != nil {
		return err
	}
	defer messages.Stop()
	go func() { // ends with session
		select {
		case <-broken:
			cancel(errors.New("the connection to NATS broke"))
		case <-session.Done():
		}
	}()
	opened()
	f.open(nil)
	for first := true; ; first = false {
		msg, err := messages.Next(jetstream.NextContext(session))
		if err != nil {
			return errors.Join(err, context.Cause(session))
		}
		if err := f.take(ctx, msg, at, first); err != nil {
			return err
		}
	}
}

// locate finds the stream and the place in it where to go on. When that is
// gone, those who follow are told, and reading begins anew behind the last
// message.
func (f *Feed) locate(ctx context.Context, js jetstream.JetStream, at *position) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	stream, err := js.Stream(ctx, schema.StreamStored)
	if err != nil {
		return nil, fmt.Errorf("find stream %s: %w", schema.StreamStored, err)
	}
	info := stream.CachedInfo()
	if at.known {
		if at.created.Equal(info.Created) && info.State.FirstSeq <= at.sequence+1 && at.sequence <= info.State.LastSeq {
			return stream, nil
		}
		f.interrupt(errors.New("the broker no longer has what comes next"))
	}
	begin := position{known: true, created: info.Created, sequence: info.State.LastSeq}
	last, err := stream.GetLastMsgForSubject(ctx, schema.SubjectStored)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound): // all is too old
	case err != nil:
		return nil, fmt.Errorf("read the last message of %s: %w", schema.StreamStored, err)
	default:
		begin.sequence = last.Sequence
		if _, err := begin.reader.Read(last.Data); err != nil {
			f.log.Warn("read what was stored", "err", err)
		}
	}
	*at = begin
	return stream, nil
}

// consume begins to read at a sequence.
func consume(ctx context.Context, stream jetstream.Stream, from uint64) (jetstream.MessagesContext, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	consumer, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Description:       "Tells subscribers what is stored",
		AckPolicy:         jetstream.AckNonePolicy,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       from,
		InactiveThreshold: idle,
		MemoryStorage:     true,
	})
	if err != nil {
		return nil, fmt.Errorf("create a consumer of %s: %w", schema.StreamStored, err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(16), jetstream.PullHeartbeat(heartbeat), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", schema.StreamStored, err)
	}
	return messages, nil
}

// take tells of a message. One that doesn't follow the last was lost on its way:
// an error has it read again, unless it is the first that was to come, for then
// the stream hasn't got it, which the numbers of entries will show.
func (f *Feed) take(ctx context.Context, msg jetstream.Msg, at *position, first bool) error {
	meta, err := msg.Metadata()
	if err != nil {
		return fmt.Errorf("read a message of %s: %w", schema.StreamStored, err)
	}
	if next := meta.Sequence.Stream; !first && next != at.sequence+1 {
		return fmt.Errorf("message %d of %s came behind %d", next, schema.StreamStored, at.sequence)
	}
	entries, err := at.reader.Read(msg.Data())
	if err != nil {
		f.gap(err)
	}
	at.sequence = meta.Sequence.Stream
	f.tell(ctx, entries)
	return nil
}

// readAtOnce is how many tweets are read together.
const readAtOnce = 128

// tell reads tweets and publishes them. While nobody follows it reads none.
func (f *Feed) tell(ctx context.Context, entries []schema.Entry) {
	var ids []string
	numbers := map[string]uint64{}
	for _, e := range entries {
		ids = append(ids, e.IDs...)
		for _, id := range e.IDs {
			numbers[id] = e.Number
		}
	}
	for part := range slices.Chunk(ids, readAtOnce) {
		if len(f.followed()) == 0 {
			return
		}
		tweets, err := f.read(ctx, part)
		if err != nil {
			f.gap(err)
			return
		}
		f.publish(tweets, numbers)
	}
}

// read returns those of the tweets that are still stored, in the order of ids.
// It tries again while the store is away.
func (f *Feed) read(ctx context.Context, ids []string) ([]*schema.Tweet, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limits.Patience)
	defer cancel()
	for {
		found, err := f.readOnce(ctx, ids)
		if err == nil {
			tweets := make([]*schema.Tweet, 0, len(found))
			for _, id := range ids {
				if t := found[id]; t != nil {
					tweets = append(tweets, t)
				}
			}
			return tweets, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		pause(ctx, againAfter)
	}
}

func (f *Feed) readOnce(ctx context.Context, ids []string) (map[string]*schema.Tweet, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return f.store.Read(ctx, ids)
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
