package ingest

import (
	"hash/fnv"
	"slices"

	"visualizer/schema"
)

// work is one event with its place in the stream.
type work struct {
	event *schema.Event
	place uint64
	// leftover: an earlier run of the line published it, so that this run has
	// not counted it yet.
	leftover bool
}

// id is the tweet that the event is about.
func (w work) id() string {
	if w.event.Tweet != nil {
		return w.event.Tweet.ID
	}
	return string(w.event.Notice.TweetID)
}

// chained reports whether the event can concern further tweets: versions of
// an edited one.
func (w work) chained() bool {
	return w.event.Kind == schema.KindDelete || w.event.Kind == schema.KindTweet && len(w.event.Tweet.EditHistoryIDs) > 1
}

// lane is where all events about a tweet go, but for chained ones.
func (w work) lane(lanes int) int {
	h := fnv.New32a()
	h.Write([]byte(w.id()))
	return int(h.Sum32() % uint32(lanes))
}

// ids are the tweets one must know of to apply the event.
func (w work) ids() []string {
	if w.event.Tweet == nil {
		return []string{w.id()}
	}
	return append([]string{w.id()}, w.event.Tweet.EditHistoryIDs...)
}

// state is what Redis knows of some tweets.
type state struct {
	docs   map[string]*schema.Document // nil: looked for and not there
	tombs  map[string]bool             // deleted
	newest map[string]string           // of an edited version: the newest stored one
}

func newState() *state {
	return &state{docs: map[string]*schema.Document{}, tombs: map[string]bool{}, newest: map[string]string{}}
}

// chain returns the versions of a tweet that s tells of, itself included, and
// whether s knows the documents of all of them.
func (s *state) chain(id string) (ids []string, known bool) {
	ids = []string{id}
	known = true
	for i := 0; i < len(ids); i++ {
		doc, looked := s.docs[ids[i]]
		known = known && looked
		related := []string{s.newest[ids[i]]}
		if doc != nil {
			related = append(related, doc.Tweet.EditHistoryIDs...)
		}
		for _, r := range related {
			if r != "" && !slices.Contains(ids, r) {
				ids = append(ids, r)
			}
		}
	}
	return ids, known
}

// plan is a set of changes to a state, to be written in one transaction. It
// decides in memory, so that what is refused because the state changed
// meanwhile costs another read and nothing else.
type plan struct {
	*state
	before map[string]string // id: the key its document stands under, "" if none
	dirty  map[string]bool   // ids whose document changes
	buried []string          // new tombstones
	linked map[string]string // new entries of newest
	counts map[string]int64  // to be added to the status
}

func newPlan(s *state) *plan {
	p := &plan{state: s, before: map[string]string{}, dirty: map[string]bool{}, linked: map[string]string{}, counts: map[string]int64{}}
	for id, doc := range s.docs {
		if doc != nil {
			p.before[id] = doc.Key()
		}
	}
	return p
}

// apply adds one event.
func (p *plan) apply(w work) {
	switch w.event.Kind {
	case schema.KindTweet:
		outcome := p.tweet(w)
		if outcome == "" {
			return
		}
		p.counts[outcome]++
		if w.leftover {
			p.counts[schema.StatusPublished]++
		}
	case schema.KindReferenced:
		p.referenced(w)
	case schema.KindDelete:
		p.bury(w.id())
	}
}

// tweet stores a tweet in its own right and returns what to count it as: ""
// when this very event was applied before, so that a second delivery is not
// counted.
func (p *plan) tweet(w work) string {
	t := w.event.Tweet
	if slices.ContainsFunc(w.ids(), func(id string) bool { return p.tombs[id] }) {
		for _, id := range w.ids() {
			p.bury(id)
		}
		return schema.StatusDuplicates
	}
	rank := rankOf(t, w.place)
	known := p.docs[t.ID]
	if known != nil && known.Own && known.Ranks.Top == rank {
		return ""
	}
	outcome := schema.StatusStored
	if known == nil {
		doc := schema.NewDocument(*t, schema.Ranks{Top: rank})
		p.put(&doc)
	} else {
		doc, changed := merge(known, t, rank)
		p.put(&doc)
		switch {
		case known.Own && changed:
			outcome = schema.StatusUpdated
		case known.Own:
			outcome = schema.StatusDuplicates
		}
	}
	p.docs[t.ID].Own = true
	if outcome == schema.StatusStored && t.Repaired {
		p.counts[schema.StatusRepaired]++
	}
	p.link(w)
	return outcome
}

// referenced keeps a tweet that stood beside another. It is an observation
// like any other, but makes no tweet searchable.
func (p *plan) referenced(w work) {
	t := w.event.Tweet
	if slices.ContainsFunc(w.ids(), func(id string) bool { return p.tombs[id] }) {
		return
	}
	rank := rankOf(t, w.place)
	doc := schema.NewDocument(*t, schema.Ranks{Top: rank})
	if known := p.docs[t.ID]; known != nil {
		doc, _ = merge(known, t, rank)
	}
	p.put(&doc)
}

func (p *plan) put(doc *schema.Document) {
	p.docs[doc.Tweet.ID] = doc
	p.dirty[doc.Tweet.ID] = true
}

// link makes the newest stored version of a chain the one that is found.
func (p *plan) link(w work) {
	if !w.chained() && p.newest[w.id()] == "" {
		return
	}
	ids, _ := p.chain(w.id())
	newest := w.id()
	for _, id := range ids {
		if doc := p.docs[id]; doc != nil && doc.Own && schema.CompareID(newest, id) < 0 {
			newest = id
		}
		// A version that is known to be newer need not be among the documents
		// read: an event outside the chain's step reads its own tweet only.
		if n := p.newest[id]; n != "" && schema.CompareID(newest, n) < 0 {
			newest = n
		}
	}
	for _, id := range ids {
		p.supersede(id, newest)
	}
}

// supersede notes that newest is the version to find instead of id.
func (p *plan) supersede(id, newest string) {
	by := schema.Opt(newest)
	if id == newest {
		by = ""
	} else if p.newest[id] != newest {
		p.newest[id], p.linked[id] = newest, newest
	}
	if doc := p.docs[id]; doc != nil && doc.Own && doc.Tweet.SupersededBy != by {
		changed := *doc
		changed.Tweet.SupersededBy = by
		p.put(&changed)
	}
}

// bury removes a tweet with all its versions, for ever.
func (p *plan) bury(id string) {
	ids, _ := p.chain(id)
	for _, id := range ids {
		if doc := p.docs[id]; doc != nil {
			if doc.Own {
				p.counts[schema.StatusDeleted]++
			}
			p.docs[id] = nil
			p.dirty[id] = true
		}
		if !p.tombs[id] {
			p.tombs[id] = true
			p.buried = append(p.buried, id)
		}
	}
}
