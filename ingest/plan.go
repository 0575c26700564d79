package ingest

import (
	"maps"
	"reflect"
	"slices"

	"visualizer/schema"
)

// plan is a set of changes to a state, to be written in one transaction. It
// decides in memory, so that what is refused because the state changed
// meanwhile costs another read and nothing else.
//
// Documents get their index when they are written: on the way there a tweet may
// change several times.
type plan struct {
	*state
	before   map[string]string // id: the key its document stands under, "" if none
	read     map[string]*schema.Document
	dirty    map[string]bool  // ids whose document changes
	again    map[string]bool  // of them, those that were to be stored before; see repeat
	buried   []string         // new tombstones
	linked   map[string]link  // new links
	scrubbed map[string]bool  // users whose scrubs changed
	noticed  map[string]bool  // fields of schema.WithheldKey that changed
	counts   map[string]int64 // to be added to the status
	fresh    []string         // ids stored for the first time in their own right, in order
}

func newPlan(s *state) *plan {
	p := &plan{state: s, before: map[string]string{}, read: maps.Clone(s.docs), dirty: map[string]bool{}, linked: map[string]link{}, scrubbed: map[string]bool{}, noticed: map[string]bool{}, counts: map[string]int64{}}
	for id, doc := range s.docs {
		if doc != nil {
			p.before[id] = doc.Key()
		}
	}
	return p
}

// decide returns the plan of parts on a state. Of those that were done before it
// has only what does not stand as they would have it, since Redis refused it.
func decide(s *state, done, left []part) *plan {
	p := newPlan(s)
	if len(done) > 0 {
		p.repeat(worksOf(done))
	}
	for _, w := range worksOf(left) {
		p.apply(w)
	}
	return p
}

// repeat adds events that were executed, and are counted and told. A repeat
// changes nothing, so that a document which it changes was refused.
func (p *plan) repeat(events []work) {
	for _, w := range events {
		p.apply(w)
	}
	p.counts, p.fresh = map[string]int64{}, nil
	maps.DeleteFunc(p.dirty, func(id string, _ bool) bool { return p.stands(id) })
	p.again = maps.Clone(p.dirty)
}

// stands reports whether a tweet is stored as the plan has it.
func (p *plan) stands(id string) bool {
	was, is := p.read[id], p.docs[id]
	if was == nil || is == nil {
		return was == is
	}
	return was.Own == is.Own && reflect.DeepEqual(&was.Tweet, &is.Tweet)
}

// chains reports whether the plan of events of a lane changes more than these
// events' own tweets, or of a version of an edited tweet what the others depend
// on. Such a plan must hold all lanes. One that changes just a version's metrics,
// say, need not: what it has read of the other versions still holds, since a
// transaction that changes the chain grows this lane's counter too.
func (p *plan) chains(events []work) bool {
	own := map[string]bool{}
	for _, w := range events {
		for _, id := range w.ids() {
			own[id] = true
		}
	}
	for id := range p.dirty {
		if !own[id] {
			return true
		}
	}
	for id := range own {
		ids, _ := p.chain(id)
		if len(ids) > 1 && (p.dirty[id] && !sameVersion(p.read[id], p.docs[id]) || slices.ContainsFunc(ids, p.rechained)) {
			return true
		}
	}
	return false
}

// rechained reports whether the plan changes where an id leads to, or buries it.
func (p *plan) rechained(id string) bool {
	_, linked := p.linked[id]
	return linked || slices.Contains(p.buried, id)
}

// sameVersion reports whether two documents of a version are one to the others
// of its chain.
func sameVersion(a, b *schema.Document) bool {
	return a != nil && b != nil && a.Own == b.Own && a.Tweet.SupersededBy == b.Tweet.SupersededBy &&
		slices.Equal(a.Tweet.EditHistoryIDs, b.Tweet.EditHistoryIDs)
}

// apply adds one event.
func (p *plan) apply(w work) {
	switch w.event.Kind {
	case schema.KindTweet:
		p.counts[p.tweet(w)]++
		if w.leftover {
			p.counts[schema.StatusPublished]++
		}
	case schema.KindReferenced:
		p.referenced(w)
	case schema.KindDelete:
		p.bury(string(w.event.Notice.TweetID))
	case schema.KindScrubGeo:
		p.noteScrub(w.event.Notice)
	case schema.KindWithheld:
		p.noteWithheld(w)
	case kindTouch:
		p.touch(string(w.event.Notice.TweetID))
	}
}

// tweet stores a tweet in its own right and returns what to count it as.
func (p *plan) tweet(w work) string {
	t := w.event.Tweet
	if p.barred(w) {
		return schema.StatusDuplicates
	}
	rank := rankOf(t, w.place)
	known := p.docs[t.ID]
	doc := schema.Document{Tweet: *t, Ranks: schema.Ranks{Top: rank}}
	if known != nil {
		doc = merge(known, t, rank)
	}
	doc.Own = true
	p.put(&doc)
	p.conform(t.ID)
	p.link(t.ID)
	switch {
	case known == nil || !known.Own:
		if t.Repaired {
			p.counts[schema.StatusRepaired]++
		}
		p.fresh = append(p.fresh, t.ID)
		return schema.StatusStored
	case reflect.DeepEqual(&known.Tweet, &p.docs[t.ID].Tweet):
		return schema.StatusDuplicates
	}
	return schema.StatusUpdated
}

// referenced keeps a tweet that stood beside another. It is an observation
// like any other, but makes no tweet searchable.
func (p *plan) referenced(w work) {
	t := w.event.Tweet
	if p.barred(w) {
		return
	}
	rank := rankOf(t, w.place)
	doc := schema.Document{Tweet: *t, Ranks: schema.Ranks{Top: rank}}
	if known := p.docs[t.ID]; known != nil {
		doc = merge(known, t, rank)
	}
	p.put(&doc)
	p.conform(t.ID)
	p.link(t.ID)
}

// barred reports whether a version of the tweet was deleted; then all that the
// event tells of are.
func (p *plan) barred(w work) bool {
	if !slices.ContainsFunc(w.ids(), func(id string) bool { return p.tombs[id] }) {
		return false
	}
	for _, id := range w.ids() {
		p.bury(id)
	}
	return true
}

func (p *plan) put(doc *schema.Document) {
	p.docs[doc.Tweet.ID] = doc
	p.dirty[doc.Tweet.ID] = true
}

// link makes the newest version of a chain that is stored in its own right the
// one that is found, has all versions show all that are known, and lets each id of the chain lead to the others.
func (p *plan) link(id string) {
	ids, _ := p.chain(id)
	if len(ids) == 1 {
		return
	}
	newest := p.newest(ids)
	history := slices.SortedFunc(slices.Values(ids), schema.CompareID)
	// All lead to a version that is stored, which knows the whole chain.
	stored := newest
	if stored == "" {
		stored = id
	}
	for _, id := range ids {
		older := newest != "" && schema.CompareID(id, newest) < 0
		if id != stored {
			p.lead(id, link{to: stored, newer: older})
		}
		p.show(id, history, older, newest)
	}
}

// newest returns the newest of ids that is stored in its own right, "" if none
// is. A link knows it as well, where not all documents were read.
func (p *plan) newest(ids []string) string {
	newest := ""
	for _, id := range ids {
		if doc := p.docs[id]; doc != nil && doc.Own && schema.CompareID(newest, id) < 0 {
			newest = id
		}
		if l := p.links[id]; l.newer && schema.CompareID(newest, l.to) < 0 {
			newest = l.to
		}
	}
	return newest
}

// lead notes where an id leads to.
func (p *plan) lead(id string, to link) {
	if p.links[id] != to {
		p.links[id], p.linked[id] = to, to
	}
}

// show changes what a version shows of its chain.
func (p *plan) show(id string, history []string, older bool, newest string) {
	doc := p.docs[id]
	if doc == nil {
		return
	}
	by := schema.Opt("")
	if older && doc.Own {
		by = schema.Opt(newest)
	}
	if doc.Tweet.SupersededBy == by && slices.Equal(doc.Tweet.EditHistoryIDs, history) {
		return
	}
	changed := *doc
	changed.Tweet.SupersededBy, changed.Tweet.EditHistoryIDs = by, history
	p.put(&changed)
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
