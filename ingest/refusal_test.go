package ingest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/internal/index"
	"visualizer/schema"
)

// letterbox keeps letters as JetStream does, of several lanes at once.
type letterbox struct {
	mu  sync.Mutex
	ids []string
}

func (l *letterbox) keep(id string, letter schema.DeadLetter, again bool) (known bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known = slices.Contains(l.ids, id); !known {
		l.ids = append(l.ids, id)
	}
	return known, nil
}

// TestLetterAfterKill: a writer that is killed when Redis has refused a tweet,
// and its letter is not kept, has its message delivered again. Then the letter is
// kept, once, and the tweet counted as rejected, once. One that Redis takes by then
// is stored.
func TestLetterAfterKill(t *testing.T) {
	b := newBench(t)
	if _, err := index.Ensure(b.ctx, b.redis, b.w.log); err != nil {
		t.Fatal(err)
	}
	var events [][]byte
	for _, e := range []schema.Event{
		{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: "11", RawText: "fine"}},
		{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: "12", RawText: "refused"}},
		{Kind: schema.KindReferenced, Tweet: &schema.Tweet{ID: "13", RawText: "refused beside another"}},
		{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: "14", RawText: "refused until later"}},
		{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: "11", RawText: "fine", Truncated: true}},
		{Kind: schema.KindDelete, Notice: &schema.Notice{TweetID: "15"}},
	} {
		data, err := schema.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, data)
	}
	for _, key := range []string{schema.TweetKey("12"), schema.HiddenKey("13"), schema.TweetKey("14")} {
		if err := b.redis.Do(b.ctx, b.redis.B().Set().Key(key).Value("taken").Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.js.Publish(b.ctx, schema.SubjectTweets, schema.EncodeBatch(b.w.run, 1, events)); err != nil {
		t.Fatal(err)
	}
	m := b.next(t, b.w)
	deliver := func() *message {
		return &message{of: m.of, batch: m.batch, processes: map[string]bool{}}
	}
	killed, kill := context.WithCancel(b.ctx)
	b.w.letters = func(string, schema.DeadLetter, bool) (bool, error) { kill(); return false, killed.Err() }
	if err := b.w.storeMessage(killed, deliver()); err == nil {
		t.Fatal("a writer that was killed has stored its message")
	}

	if err := b.redis.Do(b.ctx, b.redis.B().Del().Key(schema.TweetKey("14")).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	box := &letterbox{}
	for range 3 {
		w := benchWriter(b.redis, b.js, b.consumer)
		w.letters = box.keep
		if err := w.storeMessage(b.ctx, deliver()); err != nil {
			t.Fatal(err)
		}
		if err := w.tally.flush(b.ctx); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"refused-12-2", "refused-13-3"}, slices.Sorted(slices.Values(box.ids))); diff != "" {
		t.Errorf("letters (-want +got):\n%s", diff)
	}
	if err := b.redis.Do(b.ctx, b.redis.B().Del().Key(schema.TweetKey("12"), schema.HiddenKey("13")).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	docs := readAll(t, b.ctx, b.redis)
	if len(docs) != 2 || docs[schema.TweetKey("11")].RawText != "fine" || docs[schema.TweetKey("14")].RawText == "" {
		t.Errorf("stored are %+v, want 11 and 14", docs)
	}
	got := b.counted(t)
	for field := range got {
		if strings.HasPrefix(field, schema.StatusFlushed) {
			delete(got, field)
		}
	}
	// Of three tweets one is rejected; published counts what was taken back.
	want := map[string]string{schema.StatusStored: "2", schema.StatusDuplicates: "1", schema.StatusPublished: "-1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}

// TestRepeat: what was executed changes no document when it comes again, whatever
// came with it; that tells a document that was refused from those that were not.
func TestRepeat(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m, all := newMemory(), []work{}
		for i, e := range observations(rng) {
			w := work{event: &e, place: uint64(i + 1)}
			m.store([]work{w})
			all = append(all, w)
		}
		s := newState()
		for q := s.missing(all); !q.empty(); q = s.missing(all) {
			m.answer(s, q)
		}
		some := all[:1+rng.IntN(len(all))]
		p := newPlan(s)
		if p.repeat(some); len(p.dirty)+len(p.fresh)+len(p.counts) > 0 {
			t.Fatalf("seed %d: %d events that come again change %v", seed, len(some), p.dirty)
		}
		for id, doc := range s.docs {
			if doc != nil && doc.Own && !m.tombs[id] {
				p.read[id] = nil // as if it were refused
				if p.stands(id) {
					t.Fatalf("seed %d: tweet %s is not stored, and stands", seed, id)
				}
			}
		}
	}
}
