package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"

	"visualizer/ingest/sim"
	"visualizer/ingest/source"
	"visualizer/schema"
)

// stream is a piece of a day as a source delivers it.
type stream struct {
	lines  []byte
	tweets int // deliveries of a tweet in its own right
	docs   []document
}

// document is what ingest stores of a tweet.
type document struct{ key, json string }

// streamStart is when the first stream begins: behind all tweets that were loaded.
var streamStart = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

// day says what a stream is made of.
type day struct {
	name    string
	options func() sim.Options
}

// newTweets has nothing but new tweets, each of which is one document.
var newTweets = day{"new tweets alone", func() sim.Options {
	o := sim.DefaultOptions()
	o.Edit, o.Retweet, o.Reply, o.Quote, o.Resend, o.Delete = 0, 0, 0, 0, 0, 0
	return o
}}

// ordinary has tweets that others refer to, and which are told again with that.
var ordinary = day{"an ordinary day", sim.DefaultOptions}

// stream makes one of n tweets that no other stream has.
func (s *session) stream(ctx context.Context, d day, n int) (*stream, error) {
	var lines bytes.Buffer
	seed, start := s.another()
	if err := sim.WriteFile(&lines, sim.NewWorldWith(seed, d.options()), n, start, 0); err != nil {
		return nil, err
	}
	st := &stream{lines: lines.Bytes()}
	return st, st.read(ctx)
}

// another returns what makes a world whose tweets no other one has.
func (s *session) another() (seed uint64, start time.Time) {
	s.streams++
	return uint64(s.streams), streamStart.Add(time.Duration(s.streams) * 6 * time.Hour)
}

// read makes the documents of the stream, one for each time that a tweet is
// told.
func (st *stream) read(ctx context.Context) error {
	own := map[string]bool{}
	place := uint64(1) << 50
	for e, err := range source.NewReader("bench", bytes.NewReader(st.lines)).Events(ctx) {
		if err != nil {
			return fmt.Errorf("read the stream: %w", err)
		}
		place++
		if e.Tweet == nil {
			continue
		}
		if e.Kind == schema.KindTweet {
			st.tweets++
			own[e.Tweet.ID] = true
		}
		d := schema.Document{Tweet: *e.Tweet, Ranks: schema.Ranks{Top: schema.Rank{Place: place}}, Own: own[e.Tweet.ID]}
		d.SetIndex()
		json, err := schema.Encode(d)
		if err != nil {
			return err
		}
		st.docs = append(st.docs, document{d.Key(), string(json)})
	}
	return nil
}

const (
	plainWriters  = 2
	plainPipeline = 128
)

// storePlain writes the documents with nothing but JSON.SET.
func (st *stream) storePlain(ctx context.Context, client rueidis.Client) error {
	var g errgroup.Group
	share := (len(st.docs) + plainWriters - 1) / plainWriters
	for w := range plainWriters {
		docs := st.docs[min(w*share, len(st.docs)):min((w+1)*share, len(st.docs))]
		g.Go(func() error {
			for len(docs) > 0 {
				n := min(plainPipeline, len(docs))
				cmds := make(rueidis.Commands, n)
				for i, d := range docs[:n] {
					cmds[i] = client.B().JsonSet().Key(d.key).Path("$").Value(d.json).Build()
				}
				for _, r := range client.DoMulti(ctx, cmds...) {
					if err := r.Error(); err != nil {
						return fmt.Errorf("store a document: %w", err)
					}
				}
				docs = docs[n:]
			}
			return nil
		})
	}
	return g.Wait()
}
