package ingest

import (
	"bytes"
	"testing"
	"time"

	"visualizer/ingest/sim"
	"visualizer/ingest/source"
	"visualizer/schema"
)

// BenchmarkPlan asks what the writer computes for a tweet that is new: to decide
// about it, and to make its document with all that the index reads. An op is a
// transaction of 100 tweets.
func BenchmarkPlan(b *testing.B) {
	options := sim.DefaultOptions()
	options.Edit, options.Retweet, options.Reply, options.Quote, options.Resend, options.Delete = 0, 0, 0, 0, 0, 0
	var lines bytes.Buffer
	if err := sim.WriteFile(&lines, sim.NewWorldWith(7, options), 100, time.Unix(1_700_000_000, 0), 0); err != nil {
		b.Fatal(err)
	}
	var events []work
	for e, err := range source.NewReader("bench", &lines).Events(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		if e.Kind == schema.KindTweet {
			events = append(events, work{event: &e, place: uint64(len(events) + 1)})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		s := newState()
		for _, id := range s.missing(events).ids {
			s.docs[id] = nil
		}
		p := decide(s, nil, []part{{events: events}})
		for id := range p.dirty {
			doc := p.docs[id]
			doc.SetIndex()
			if _, err := schema.Encode(doc); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(events))/b.Elapsed().Seconds(), "tweets/s")
}
