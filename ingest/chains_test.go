package ingest

import (
	"testing"

	"visualizer/schema"
)

// TestChains: a lane alone may change a version's metrics, and nothing that the
// other versions depend on.
func TestChains(t *testing.T) {
	version := func(own bool) *schema.Document {
		return &schema.Document{Own: own, Tweet: schema.Tweet{ID: "1", SupersededBy: schema.Opt("2"), EditHistoryIDs: []string{"1", "2"}}}
	}
	referenced := version(false)
	referenced.Tweet.SupersededBy = ""
	newest := &schema.Document{Own: true, Tweet: schema.Tweet{ID: "2", EditHistoryIDs: []string{"1", "2"}}}
	for _, c := range []struct {
		name string
		doc  *schema.Document // of tweet 1
		link link
		tomb bool
		want bool
	}{
		{"a version told again", version(true), link{"2", true}, false, false},
		{"a version that comes first", nil, link{"2", true}, false, true},
		{"a version that was only referenced", referenced, link{"2", true}, false, true},
		{"a version of a deleted tweet", version(true), link{"2", true}, true, true},
		{"a version that leads nowhere yet", version(true), link{}, false, true},
		{"a tweet without versions", nil, link{}, false, false},
	} {
		s := newState()
		s.docs["1"], s.tombs["1"] = c.doc, c.tomb
		if c.link != (link{}) {
			s.links["1"] = c.link
		}
		if c.doc != nil || c.link != (link{}) {
			s.docs["2"] = newest
		}
		events := []work{liked("1", 7)}
		if got := decide(s, nil, []part{{events: events}}).chains(events); got != c.want {
			t.Errorf("%s: must hold all lanes is %v, want %v", c.name, got, c.want)
		}
	}
}
