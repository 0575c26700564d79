package ingest

import (
	"reflect"

	"visualizer/schema"
)

// noteScrub keeps what a scrub_geo notice asks for, so that it holds for what
// is stored and for what comes later.
func (p *plan) noteScrub(n *schema.Notice) {
	user, upTo := string(n.UserID), string(n.TweetID)
	if schema.CompareID(p.scrubs[user], upTo) < 0 {
		p.scrubs[user] = upTo
		p.scrubbed[user] = true
	}
}

// noteWithheld keeps a notice that withholds a tweet or a user, unless a newer
// one is known.
func (p *plan) noteWithheld(w work) {
	n := w.event.Notice
	field := schema.WithheldUser + string(n.UserID)
	if n.TweetID != "" {
		field = schema.WithheldTweet + string(n.TweetID)
	}
	rank := schema.Rank{Place: w.place}
	if n.ObservedAt != nil {
		rank.Observed = *n.ObservedAt
	}
	if known := p.withheld[field]; known == nil || known.Rank.Less(rank) {
		p.withheld[field] = &schema.WithheldNotice{Withheld: *n.Withheld, Rank: rank}
		p.noticed[field] = true
	}
	if n.TweetID != "" {
		p.conform(string(n.TweetID))
	}
}

// touch makes a document what the notices about it ask for, and what this
// version writes for the index.
func (p *plan) touch(id string) {
	p.conform(id)
	doc := p.docs[id]
	if doc == nil {
		return
	}
	derived := *doc
	derived.SetIndex()
	if !reflect.DeepEqual(derived.Index, doc.Index) {
		p.put(&derived)
	}
}

// conform makes a document what the notices about it ask for.
func (p *plan) conform(id string) {
	doc := p.docs[id]
	if doc == nil {
		return
	}
	t, ranks := doc.Tweet, doc.Ranks
	if schema.CompareID(id, p.scrubs[authorOf(doc)]) <= 0 {
		t.Location, t.Place = nil, nil
	}
	for _, field := range []string{schema.WithheldTweet + id, schema.WithheldUser + authorOf(doc)} {
		n := p.withheld[field]
		if n == nil || t.Withheld != nil && !ranks.Of(fieldWithheld).Less(n.Rank) {
			continue
		}
		t.Withheld = &n.Withheld
		ranks = ranks.With(fieldWithheld, n.Rank)
	}
	if t.Location == doc.Tweet.Location && t.Place == doc.Tweet.Place && t.Withheld == doc.Tweet.Withheld {
		return
	}
	p.put(&schema.Document{Tweet: t, Ranks: ranks, Own: doc.Own})
}
