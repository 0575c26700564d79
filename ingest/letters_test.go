package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// TestLetters lists, shows and replays letters: what is understood by now goes
// to the stream and its letter away, what is not stays.
func TestLetters(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	url, opts := stacktest.Start(t).NATS()
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	letters, err := OpenLetters(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	for letter, err := range letters.All(ctx) {
		t.Errorf("an empty stream has letter %+v, %v", letter, err)
	}
	refused := `{"t":{"id":"13","rawText":"refused","text":"refused"},"ix":{},"rank":{"top":{"p":77}},"own":true}`
	for _, c := range []schema.DeadLetter{
		{Reason: schema.InvalidTweet, Source: "f.jsonl", Line: 7, Raw: []byte(`{"id":"11","text":"understood now"}`), Size: 35},
		{Reason: schema.BadJSON, Source: "f.jsonl", Line: 8, Raw: []byte(`{"id":"12",`), Size: 11},
		{Reason: schema.TooLarge, Source: "f.jsonl", Line: 9, Raw: []byte(`{"id":"14","text":"`), Size: 70_000_000},
		{Reason: schema.BadContainer, Source: "f.jsonl.gz", Line: 3},
		{Reason: schema.NotTweet, Source: "f.jsonl", Line: 10, Raw: []byte(`{"limit":{"track":1}}`), Size: 21},
		{Reason: schema.Refused, Source: "tweet:13", Raw: []byte(refused), Size: len(refused)},
	} {
		data, err := schema.Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := letters.js.Publish(ctx, schema.SubjectDeadLetters+"."+string(c.Reason), data); err != nil {
			t.Fatal(err)
		}
	}
	wantFailure := map[schema.Reason]string{schema.BadJSON: "bad_json", schema.TooLarge: "only 19 of its 70000000 bytes", schema.BadContainer: "nothing of it was kept", schema.NotTweet: "no tweet"}
	for letter, err := range letters.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		tweets, err := letters.Replay(ctx, letter)
		want, fails := wantFailure[letter.Reason]
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("replay of %s: %v, want %q", letter.Reason, err, want)
		case !fails && (err != nil || tweets != 1):
			t.Errorf("replay of %s: %d tweets, %v", letter.Reason, tweets, err)
		}
	}
	left := 0
	for letter, err := range letters.All(ctx) {
		if _, fails := wantFailure[letter.Reason]; err != nil || !fails {
			t.Errorf("left is %+v, %v", letter, err)
		}
		left++
	}
	if left != len(wantFailure) {
		t.Errorf("%d letters are left, want %d", left, len(wantFailure))
	}
	if _, err := letters.Get(ctx, 1); !errors.Is(err, ErrNoLetter) {
		t.Errorf("a replayed letter is read with %v", err)
	}
	if _, err := letters.Get(ctx, 0); !errors.Is(err, ErrNoLetter) {
		t.Errorf("letter 0 is read with %v", err)
	}
	if got, want := published(t, ctx, letters.js), "11 with a new place, 13 of place 77"; got != want {
		t.Errorf("on the stream are %q, want %q", got, want)
	}
}

// published returns the ids of the tweets on the stream, and their places.
func published(t *testing.T, ctx context.Context, js jetstream.JetStream) string {
	t.Helper()
	consumer, _, err := ensureStreams(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.FetchNoWait(10)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for msg := range messages.Messages() {
		var b schema.Batch
		if err := schema.Decode(msg.Data(), &b); err != nil {
			t.Fatal(err)
		}
		where := "with a new place"
		if b.Place < 1000 {
			where = fmt.Sprint("of place ", b.Place)
		}
		for _, e := range b.Events {
			ids = append(ids, e.Tweet.ID+" "+where)
		}
	}
	return strings.Join(ids, ", ")
}
