package source

import (
	"fmt"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"visualizer/schema"
)

// group delivers the tweets of one record, and those that stand beside them.
type group struct {
	*decoder
	*page
	record []byte
	large  bool // an event of it may be too large
	data   []byte
	// known are the ids that need no event as a referenced tweet: the record's
	// own, and those that had one. It is nil until somebody asks.
	known map[flexID]bool
	// included are the tweets of its includes, as they stand there.
	included map[flexID]rawJSON
}

// maxGrowth bounds how much larger an event is than its record: a bad byte
// becomes three, and a text with HTML escapes is written as delivered and decoded.
const maxGrowth = 8

func (d *decoder) group(v []byte, m *message) *group {
	return &group{
		decoder: d, page: newPage(m, d.observed),
		record: v, large: len(v) > schema.MaxEventBytes/maxGrowth,
	}
}

// single delivers a record with one tweet of its own.
func (d *decoder) single(v []byte, m *message, w *tweetJSON) {
	g := d.group(v, m)
	g.known = map[flexID]bool{w.id(): true}
	g.includes(m)
	g.own(w)
}

// page delivers an API reply, whose data is a list.
func (d *decoder) page(v []byte, m *message) {
	g := d.group(v, m)
	g.data = m.Data.list
	g.includes(m)
	n := 0
	err := elements(g.data, func(dec *jsontext.Decoder) error {
		n++
		var c candidate
		err := json.UnmarshalDecode(dec, &c)
		switch {
		case err != nil || d.stopped:
		case c.valid():
			g.own(&c.tweetJSON)
		default:
			d.rejectCandidate(c.raw, shapeOf(c.raw))
		}
		return err
	})
	switch {
	case err != nil:
		d.reject(schema.BadJSON, v, err)
	case n == 0:
		d.control(controlEmpty, "")
	}
}

// own delivers a tweet in its own right, behind those within it.
func (g *group) own(w *tweetJSON) {
	g.nested(w, 0)
	t := g.tweet(w)
	t.OriginalText = g.originalText(w, t)
	g.addRules(t)
	g.deliver(schema.KindTweet, w, t)
}

// includes delivers the tweets that an API reply has beside its own.
func (g *group) includes(m *message) {
	in := m.Includes.v
	if in == nil {
		return
	}
	for _, list := range []rawJSON{in.Tweets, in.Posts} {
		if jsontext.Value(list).Kind() != '[' {
			continue
		}
		elements(list, func(dec *jsontext.Decoder) error {
			var w nestedJSON
			err := json.UnmarshalDecode(dec, &w)
			if err == nil && !g.stopped {
				g.include(&w)
				g.referenced(&w, 0)
			}
			return err
		})
	}
}

func (g *group) include(n *nestedJSON) {
	if g.included == nil {
		g.included = make(map[flexID]rawJSON)
	}
	if _, ok := g.included[n.id()]; !ok && n.valid() {
		g.included[n.id()] = n.raw
	}
}

// originalText returns the whole text of the tweet that t repeats, or "" when
// the record doesn't hold it. w is t as it stands in the record.
func (g *group) originalText(w *tweetJSON, t *schema.Tweet) schema.Opt {
	id := flexID(builder{t: t}.retweeted())
	if id == "" {
		return ""
	}
	raw := g.included[id]
	for n := range w.within() {
		if n.id() == id && n.valid() {
			raw = n.raw
			break
		}
	}
	if raw == nil {
		return ""
	}
	var original candidate
	json.Unmarshal(raw, &original, wireOptions) // it was read once
	return schema.Opt(schema.DecodeText(original.fullText().s))
}

// maxNested bounds how deep tweets are looked for within tweets. A retweet of
// a quote is two deep.
const maxNested = 4

// nested delivers the tweets within w.
func (g *group) nested(w *tweetJSON, depth int) {
	for n := range w.within() {
		g.referenced(n, depth)
	}
}

// within yields the tweets within w, and what only names one.
func (w *tweetJSON) within() iter.Seq[*nestedJSON] {
	return func(yield func(*nestedJSON) bool) {
		for _, list := range [][]nestedJSON{w.Referenced.items, w.ReferencedPosts.items} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
		for _, inner := range []*nestedJSON{w.Retweet.v, w.Quoted.v} {
			if inner != nil && !yield(inner) {
				return
			}
		}
	}
}

// referenced delivers a tweet that stands only beside others, once. One that
// is no whole tweet, as a mere {type, id}, is left out.
func (g *group) referenced(n *nestedJSON, depth int) {
	if !n.valid() || depth == maxNested || g.isKnown(n.id()) {
		return
	}
	g.known[n.id()] = true
	var w candidate
	json.Unmarshal(n.raw, &w, wireOptions) // n was read from it
	g.deliver(schema.KindReferenced, &w.tweetJSON, g.tweet(&w.tweetJSON))
	g.nested(&w.tweetJSON, depth+1)
}

func (g *group) isKnown(id flexID) bool {
	if g.known == nil {
		g.known = make(map[flexID]bool)
		elements(g.data, func(dec *jsontext.Decoder) error {
			var n nestedJSON
			err := json.UnmarshalDecode(dec, &n)
			if n.valid() {
				g.known[n.id()] = true
			}
			return err
		})
	}
	return g.known[id]
}

// deliver yields a tweet unless it is too large to be sent on.
func (g *group) deliver(kind schema.Kind, w *tweetJSON, t *schema.Tweet) {
	e := schema.Event{Kind: kind, Tweet: t}
	if g.large {
		err := checkSize(&e)
		if err != nil && t.OriginalText != "" {
			t.OriginalText = "" // what it repeats is too large, not itself
			err = checkSize(&e)
		}
		if err != nil {
			raw := g.record
			if w.raw != nil {
				raw = w.raw
			}
			g.reject(schema.TooLarge, raw, err)
			return
		}
	}
	g.emit(e)
}

func checkSize(e *schema.Event) error {
	b, err := schema.Encode(e)
	if err == nil && len(b) > schema.MaxEventBytes {
		err = fmt.Errorf("tweet %s takes %d bytes, more than %d", e.Tweet.ID, len(b), schema.MaxEventBytes)
	}
	return err
}
