package feed

import (
	"context"
	"sync"
	"sync/atomic"

	"visualizer/query/search"
	"visualizer/schema"
)

// Item is a tweet on its way to those who follow it, who share it.
type Item struct {
	Tweet  *schema.Tweet
	number uint64 // of the transaction that stored it
	batch  *batch
	size   int          // in memory, about
	held   atomic.Int32 // by queues

	mu      sync.Mutex
	answers map[string]*answer // by what is asked
}

// hold and release count the queues that an item waits in: its size is counted
// once.
func (it *Item) hold() {
	if it.held.Add(1) == 1 {
		it.batch.feed.waiting.Add(int64(it.size))
	}
}

func (it *Item) release() {
	if it.held.Add(-1) == 0 {
		it.batch.feed.waiting.Add(-int64(it.size))
	}
}

// Lookup returns stored tweets by id. What the tweets of the item's batch refer
// to is read for all of them at once, and for all who ask.
func (it *Item) Lookup(ctx context.Context, ids []string) (map[string]*schema.Tweet, error) {
	return it.batch.lookup(ctx, ids)
}

// batch is what was read from the store together.
type batch struct {
	feed       *Feed
	items      []*Item
	candidates []*search.Candidate

	mu   sync.Mutex
	read map[string]*schema.Tweet // by id; nil: not stored
}

func newBatch(f *Feed, tweets []*schema.Tweet, numbers map[string]uint64) *batch {
	b := &batch{feed: f, items: make([]*Item, len(tweets)), candidates: make([]*search.Candidate, len(tweets))}
	for i, t := range tweets {
		b.items[i] = &Item{Tweet: t, number: numbers[t.ID], batch: b, size: sizeOf(t)}
		b.candidates[i] = search.NewCandidate(t)
	}
	return b
}

func (b *batch) lookup(ctx context.Context, ids []string) (map[string]*schema.Tweet, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var missing []string
	for _, id := range ids {
		if _, known := b.read[id]; !known {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		if b.read == nil { // the first who asks reads for all
			b.read = map[string]*schema.Tweet{}
			missing = append(missing, b.references()...)
		}
		found, err := b.feed.store.Read(ctx, missing)
		if err != nil {
			b.read = nil
			return nil, err
		}
		for _, id := range missing {
			b.read[id] = found[id]
		}
	}
	found := make(map[string]*schema.Tweet, len(ids))
	for _, id := range ids {
		if t := b.read[id]; t != nil {
			found[id] = t
		}
	}
	return found, nil
}

// references returns the ids of what the batch's tweets refer to.
func (b *batch) references() []string {
	var ids []string
	for _, it := range b.items {
		for _, r := range it.Tweet.References {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// sizeOf is what a tweet takes in memory, about, in bytes.
func sizeOf(t *schema.Tweet) int {
	return 1_024 + len(t.RawText) + 64*len(t.Hashtags) + 128*(len(t.Mentions)+len(t.References)) + 512*(len(t.URLs)+len(t.Media))
}

// answer is what an item looks like to those who ask the same about it.
type answer struct {
	mu   sync.Mutex
	text []byte // nil: not made
}

// Once returns the text that make made for the first who asked by key. Nil is
// not kept. One who makes it has the others wait, who would take as long.
func (it *Item) Once(key string, make func() []byte) []byte {
	a := it.answer(key)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.text == nil {
		a.text = make()
	}
	return a.text
}

func (it *Item) answer(key string) *answer {
	it.mu.Lock()
	defer it.mu.Unlock()
	a := it.answers[key]
	if a == nil {
		if it.answers == nil {
			it.answers = map[string]*answer{}
		}
		a = &answer{}
		it.answers[key] = a
	}
	return a
}
