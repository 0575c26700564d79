package ingest

import (
	"hash/fnv"
	"slices"
	"strings"

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

// chained reports whether the event can change further tweets: versions of an
// edited one.
func (w work) chained() bool {
	return w.event.Kind == schema.KindDelete || len(w.event.Tweet.EditHistoryIDs) > 1
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
	docs  map[string]*schema.Document // nil: looked for and not there
	tombs map[string]bool             // deleted
	links map[string]link             // of versions of an edited tweet
}

// link leads from one version of an edited tweet to another.
type link struct {
	to string
	// newer: it is the newest version stored in its own right. Else it only
	// tells of the chain.
	newer bool
}

// String is the link as it stands under schema.ChainsKey.
func (l link) String() string {
	if l.newer {
		return l.to
	}
	return tellsOnly + l.to
}

// tellsOnly marks a link that is not newer.
const tellsOnly = "?"

func parseLink(s string) link {
	to, only := strings.CutPrefix(s, tellsOnly)
	return link{to: to, newer: !only}
}

func newState() *state {
	return &state{docs: map[string]*schema.Document{}, tombs: map[string]bool{}, links: map[string]link{}}
}

// chain returns the versions of a tweet that s tells of, itself included, and
// whether s knows the documents of all of them.
func (s *state) chain(id string) (ids []string, known bool) {
	ids = []string{id}
	known = true
	for i := 0; i < len(ids); i++ {
		doc, looked := s.docs[ids[i]]
		known = known && looked
		related := []string{s.links[ids[i]].to}
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
	linked map[string]link   // new links
	counts map[string]int64  // to be added to the status
}

func newPlan(s *state) *plan {
	p := &plan{state: s, before: map[string]string{}, dirty: map[string]bool{}, linked: map[string]link{}, counts: map[string]int64{}}
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
	if p.barred(w) {
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
	p.link(t.ID)
	return outcome
}

// referenced keeps a tweet that stood beside another. It is an observation
// like any other, but makes no tweet searchable.
func (p *plan) referenced(w work) {
	t := w.event.Tweet
	if p.barred(w) {
		return
	}
	rank := rankOf(t, w.place)
	doc := schema.NewDocument(*t, schema.Ranks{Top: rank})
	if known := p.docs[t.ID]; known != nil {
		doc, _ = merge(known, t, rank)
	}
	p.put(&doc)
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
// one that is found, has all versions show the longest history that is known,
// and lets each id of the chain lead to the others.
func (p *plan) link(id string) {
	ids, _ := p.chain(id)
	if len(ids) == 1 {
		return
	}
	newest := p.newest(ids)
	history := p.history(ids)
	for _, id := range ids {
		older := newest != "" && schema.CompareID(id, newest) < 0
		switch {
		case older:
			p.lead(id, link{newest, true})
		case newest != "" && id != newest:
			p.lead(id, link{newest, false})
		case newest == "" && id != history[0]:
			p.lead(id, link{history[0], false})
		case newest == "":
			p.lead(id, link{history[len(history)-1], false})
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

// history returns the longest edit history that a version tells.
func (p *plan) history(ids []string) []string {
	var longest []string
	for _, id := range ids {
		if doc := p.docs[id]; doc != nil && len(doc.Tweet.EditHistoryIDs) > len(longest) {
			longest = doc.Tweet.EditHistoryIDs
		}
	}
	if longest == nil {
		return ids
	}
	return longest
}

// lead notes where an id leads to.
func (p *plan) lead(id string, to link) {
	if p.links[id] != to && to.to != id {
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
	if doc.Tweet.SupersededBy == by && len(doc.Tweet.EditHistoryIDs) >= len(history) {
		return
	}
	changed := *doc
	changed.Tweet.SupersededBy = by
	if len(changed.Tweet.EditHistoryIDs) < len(history) {
		changed.Tweet.EditHistoryIDs = history
	}
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
