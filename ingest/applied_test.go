package ingest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/internal/index"
	"visualizer/schema"
)

// counted returns the counters of the writers.
func (b *bench) counted(t *testing.T) map[string]string {
	t.Helper()
	got, err := b.redis.Do(b.ctx, b.redis.B().Hgetall().Key(schema.StatusKey).Build()).AsStrMap()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestPausedWriter: a writer that is paused with a message in hand, until
// another has stored and acked it, counts nothing when it goes on; nor does one
// that is paused halfway. What was noted for that is removed.
func TestPausedWriter(t *testing.T) {
	b := newBench(t)
	if _, err := index.Ensure(b.ctx, b.redis, b.w.log); err != nil {
		t.Fatal(err)
	}
	var events [][]byte
	for i := range 3 * maxChunk {
		data, err := schema.Encode(schema.Event{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: fmt.Sprint(100 + i)}})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, data)
	}
	data, err := schema.Encode(schema.Event{Kind: schema.KindDelete, Notice: &schema.Notice{TweetID: "100"}})
	if err != nil {
		t.Fatal(err)
	}
	events = append(events, data)
	if _, err := b.js.Publish(b.ctx, schema.SubjectTweets, schema.EncodeBatch("run", 1, events)); err != nil {
		t.Fatal(err)
	}
	paused := b.next(t, b.w)
	part := paused.batch // what the paused writer does later, its delivery forgotten
	if err := paused.msg.Nak(); err != nil {
		t.Fatal(err)
	}

	other := benchWriter(b.redis, b.js, b.consumer)
	m := b.next(t, other)
	half := m.batch
	half.Events = half.Events[:maxChunk]
	if err := other.storeMessage(b.ctx, &message{of: m.of, batch: half, processes: map[string]bool{}}); err != nil {
		t.Fatal(err)
	}
	if err := other.storeMessage(b.ctx, m); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"stored": fmt.Sprint(3 * maxChunk), "deleted": "1"}
	if diff := cmp.Diff(want, b.counted(t)); diff != "" {
		t.Errorf("stored in two halves (-want +got):\n%s", diff)
	}
	again := &message{of: paused.of, batch: part, processes: map[string]bool{}}
	if err := b.w.storeMessage(b.ctx, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.counted(t)); diff != "" {
		t.Errorf("a paused writer counted before the ack (-want +got):\n%s", diff)
	}

	if err := other.ackAll(b.ctx, []*message{m}); err != nil {
		t.Fatal(err)
	}
	info, err := b.consumer.Info(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	other.forget(b.ctx, info)
	if n, err := b.redis.Do(b.ctx, b.redis.B().Exists().Key(schema.AppliedKey).Build()).AsInt64(); err != nil || n != 0 {
		t.Errorf("what was applied is still noted (%v)", err)
	}
	again = &message{of: paused.of, batch: part, processes: map[string]bool{}}
	if err := b.w.storeMessage(b.ctx, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.counted(t)); diff != "" {
		t.Errorf("a paused writer counted after the ack (-want +got):\n%s", diff)
	}

	// A stream that was lost and made again counts from 1 again.
	again.of.stored++
	if err := b.w.storeMessage(b.ctx, again); err != nil {
		t.Fatal(err)
	}
	if b.counted(t)["duplicates"] == "" {
		t.Error("a message of another stream was taken for one that was acked")
	}
}
