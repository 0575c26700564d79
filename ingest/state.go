package ingest

import (
	"slices"
	"strings"

	"visualizer/schema"
)

// state is what Redis knows of some tweets and users. What was looked for and
// is not there is there as a zero value.
type state struct {
	docs     map[string]*schema.Document
	tombs    map[string]bool                   // deleted
	links    map[string]link                   // of versions of an edited tweet
	scrubs   map[string]string                 // of a user: the id up to which tweets have no place
	withheld map[string]*schema.WithheldNotice // by field of schema.WithheldKey
	applied  applied                           // of the part that was asked about
	process  string                            // the server's, that told all this
}

func newState() *state {
	return &state{
		docs: map[string]*schema.Document{}, tombs: map[string]bool{}, links: map[string]link{},
		scrubs: map[string]string{}, withheld: map[string]*schema.WithheldNotice{},
	}
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

// chain returns the versions of a tweet that s tells of, itself included, and
// whether s knows the documents of all of them.
func (s *state) chain(id string) (ids []string, known bool) {
	ids = []string{id}
	known = true
	seen := map[string]bool{id: true}
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for i := 0; i < len(ids); i++ {
		doc, looked := s.docs[ids[i]]
		known = known && looked
		add(s.links[ids[i]].to)
		if doc != nil {
			for _, version := range doc.Tweet.EditHistoryIDs {
				add(version)
			}
		}
	}
	return ids, known
}

// question is what is still to be read for some events.
type question struct{ ids, users []string }

func (q question) empty() bool { return len(q.ids) == 0 && len(q.users) == 0 }

// missing returns what the events need and s does not know yet: their tweets,
// the other versions of these, and the users that wrote any of them. Versions
// that belong to another lane are only looked at: what changes a chain holds
// all lanes, so that this lane's transaction would fail.
func (s *state) missing(events []work) question {
	var q question
	seen := map[string]bool{} // ids of chains that were followed
	for _, w := range events {
		q.users = append(q.users, w.users()...)
		for _, id := range w.ids() {
			if seen[id] {
				continue
			}
			chain, _ := s.chain(id)
			for _, id := range chain {
				seen[id] = true
			}
			q.ids = append(q.ids, chain...)
		}
	}
	for _, id := range q.ids {
		if author := authorOf(s.docs[id]); author != "" {
			q.users = append(q.users, author)
		}
	}
	q.ids = news(q.ids, s.docs)
	q.users = news(q.users, s.scrubs)
	return q
}

// news returns what is no key of known, sorted, each once.
func news[T any](ss []string, known map[string]T) []string {
	ss = slices.DeleteFunc(ss, func(s string) bool { _, ok := known[s]; return ok })
	slices.Sort(ss)
	return slices.Compact(ss)
}

func authorOf(doc *schema.Document) string {
	if doc == nil || doc.Tweet.Author == nil {
		return ""
	}
	return doc.Tweet.Author.ID
}
