package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
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
	place  uint64 // of the last event that was replayed
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
	events, place, err := readAgain(letter)
	if err != nil {
		return 0, fmt.Errorf("replay dead letter %d: %w", letter.Number, err)
	}
	for i := range events {
		if events[i].Kind == schema.KindTweet {
			tweets++
		}
		if err := l.publish(ctx, letter.Number, i, events[i], place); err != nil {
			return 0, fmt.Errorf("replay dead letter %d: %w", letter.Number, err)
		}
	}
	err = l.stream.DeleteMsg(ctx, letter.Number)
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) { // not found: replayed by somebody else too
		return tweets, fmt.Errorf("remove dead letter %d: %w", letter.Number, err)
	}
	return tweets, nil
}

// publish puts one event on the stream, in a message of its own: together the
// events of a page may be too large. A place of 0 is the present one.
func (l *Letters) publish(ctx context.Context, letter uint64, n int, e schema.Event, place uint64) error {
	data, err := schema.Encode(e)
	if err != nil {
		return err
	}
	if place == 0 {
		l.place = max(l.place+1, uint64(time.Now().UnixMilli())<<placeBits)
		place = l.place
	}
	id := "letter-" + strconv.FormatUint(letter, 10) + "-" + strconv.Itoa(n)
	if _, err := l.js.Publish(ctx, schema.SubjectTweets, schema.EncodeBatch("", place, [][]byte{data}), jetstream.WithMsgID(id)); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// readAgain returns the events of a letter's record that must reach the writer,
// and their place where it is known. A record that still holds none is an
// error: the letter is all that is left of it.
func readAgain(letter Letter) (events []schema.Event, place uint64, err error) {
	switch {
	case letter.Size == 0:
		return nil, 0, errors.New("nothing of it was kept: read its source again")
	case letter.Size > len(letter.Raw):
		return nil, 0, fmt.Errorf("only %d of its %d bytes were kept", len(letter.Raw), letter.Size)
	case letter.Reason == schema.Refused:
		events, place, err = refusedAgain(letter)
	case letter.ObservedAt != nil:
		events, err = decodeAgain(letter)
	default:
		events, err = fileAgain(letter)
	}
	events = slices.DeleteFunc(events, func(e schema.Event) bool { return !e.Crosses() })
	if err == nil && len(events) == 0 {
		err = errors.New("it holds no tweet")
	}
	return events, place, err
}

// fileAgain reads a record of a file.
func fileAgain(letter Letter) (events []schema.Event, err error) {
	for event, err := range source.NewReader(letter.Source, bytes.NewReader(letter.Raw)).Events(context.Background()) {
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

// decodeAgain reads a record of a live source, which was observed at arrival.
func decodeAgain(letter Letter) ([]schema.Event, error) {
	events, rejected := source.Decode(letter.Raw, letter.ObservedAt)
	if len(rejected) > 0 {
		return nil, rejected[0]
	}
	return events, nil
}

// refusedAgain returns the event of a document that Redis would not store, with
// the place of its newest observation: what has come since is newer.
func refusedAgain(letter Letter) ([]schema.Event, uint64, error) {
	var doc schema.Document
	if err := schema.Decode(letter.Raw, &doc); err != nil {
		return nil, 0, err
	}
	kind := schema.KindReferenced
	if doc.Own {
		kind = schema.KindTweet
	}
	return []schema.Event{{Kind: kind, Tweet: &doc.Tweet}}, max(doc.Ranks.Top.Place, 1), nil
}
