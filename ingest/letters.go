package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/ingest/source"
	"visualizer/schema"
)

// Letters are the dead letters that JetStream keeps.
type Letters struct {
	js     jetstream.JetStream
	stream jetstream.Stream
}

// Letter is a dead letter with its number, by which it is shown and replayed.
type Letter struct {
	Number uint64
	schema.DeadLetter
}

// OpenLetters returns the dead letters of a server. Nothing was ever set aside
// there when the stream doesn't exist: then there are no letters.
func OpenLetters(ctx context.Context, conn *nats.Conn) (*Letters, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("open jetstream: %w", err)
	}
	if _, _, err := ensureStreams(ctx, js); err != nil {
		return nil, err
	}
	stream, err := js.Stream(ctx, schema.StreamDeadLetters)
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", schema.StreamDeadLetters, err)
	}
	return &Letters{js: js, stream: stream}, nil
}

// All yields the letters, oldest first. An error ends it.
func (l *Letters) All(ctx context.Context) iter.Seq2[Letter, error] {
	return func(yield func(Letter, error) bool) {
		info, err := l.stream.Info(ctx) // of an empty stream FirstSeq is LastSeq + 1, or 0
		if err != nil {
			yield(Letter{}, fmt.Errorf("read stream %s: %w", schema.StreamDeadLetters, err))
			return
		}
		for n := info.State.FirstSeq; n <= info.State.LastSeq; n++ {
			letter, err := l.Get(ctx, n)
			if errors.Is(err, ErrNoLetter) {
				continue // replayed, or gone meanwhile
			}
			if !yield(letter, err) || err != nil {
				return
			}
		}
	}
}

// ErrNoLetter: there is no letter of this number, or not any more.
var ErrNoLetter = errors.New("no such dead letter")

// Get returns the letter of a number.
func (l *Letters) Get(ctx context.Context, number uint64) (Letter, error) {
	var msg *jetstream.RawStreamMsg
	err := error(jetstream.ErrMsgNotFound)
	if number > 0 { // the first is 1; for 0 the server reports a bad request
		msg, err = l.stream.GetMsg(ctx, number)
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		err = ErrNoLetter
	}
	if err != nil {
		return Letter{}, fmt.Errorf("read dead letter %d: %w", number, err)
	}
	letter := Letter{Number: number}
	if err := schema.Decode(msg.Data, &letter.DeadLetter); err != nil {
		return letter, fmt.Errorf("read dead letter %d: %w", number, err)
	}
	return letter, nil
}

// Replay reads a letter's record again and, when all of it is understood now,
// puts what it holds on the stream and removes the letter. It returns how many
// tweets that were. An error leaves the letter where it is.
func (l *Letters) Replay(ctx context.Context, letter Letter) (tweets int, err error) {
	events, err := readAgain(letter)
	if err != nil {
		return 0, fmt.Errorf("replay dead letter %d: %w", letter.Number, err)
	}
	var encoded [][]byte
	for i := range events {
		if !events[i].Crosses() {
			continue
		}
		data, err := schema.Encode(events[i])
		if err != nil {
			return 0, fmt.Errorf("replay dead letter %d: %w", letter.Number, err)
		}
		encoded = append(encoded, data)
		if events[i].Kind == schema.KindTweet {
			tweets++
		}
	}
	for i := range encoded { // one a message: together they may be too large
		place := uint64(time.Now().UnixMilli()) << placeBits
		id := "letter-" + strconv.FormatUint(letter.Number, 10) + "-" + strconv.Itoa(i)
		if _, err := l.js.Publish(ctx, schema.SubjectTweets, schema.EncodeBatch("", place, encoded[i:i+1]), jetstream.WithMsgID(id)); err != nil {
			return 0, fmt.Errorf("replay dead letter %d: publish: %w", letter.Number, err)
		}
	}
	if err := l.stream.DeleteMsg(ctx, letter.Number); err != nil {
		return tweets, fmt.Errorf("remove dead letter %d: %w", letter.Number, err)
	}
	return tweets, nil
}

// readAgain returns the events of a letter's record.
func readAgain(letter Letter) ([]schema.Event, error) {
	switch {
	case letter.Size > len(letter.Raw):
		return nil, fmt.Errorf("only %d of its %d bytes were kept", len(letter.Raw), letter.Size)
	case letter.Reason == schema.Refused:
		return refusedAgain(letter)
	}
	var events []schema.Event
	for event, err := range source.NewReader(letter.Source, bytes.NewReader(letter.Raw)).Events(context.Background()) {
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

// refusedAgain returns the event of a document that Redis would not store.
func refusedAgain(letter Letter) ([]schema.Event, error) {
	var doc schema.Document
	if err := schema.Decode(letter.Raw, &doc); err != nil {
		return nil, err
	}
	kind := schema.KindReferenced
	if doc.Own {
		kind = schema.KindTweet
	}
	return []schema.Event{{Kind: kind, Tweet: &doc.Tweet}}, nil
}
