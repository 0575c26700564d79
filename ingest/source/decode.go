package source

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"visualizer/schema"
)

// Decode returns what a JSON value holds: tweets, those that stand only beside
// them first; or what a notice asks for; or a control message. Values and
// parts of it that can't be a tweet are rejected, without Source and Line.
//
// observed is when a live source delivered the value. It is nil for files,
// whose records may tell themselves when they were observed.
func Decode(value []byte, observed *schema.Time) ([]schema.Event, []*Rejected) {
	d := decoder{observed: observed}
	d.value(bytes.TrimSpace(value))
	return d.events, d.rejects
}

type decoder struct {
	observed *schema.Time
	events   []schema.Event
	rejects  []*Rejected
}

func (d *decoder) reject(reason schema.Reason, raw []byte, err error) {
	d.rejects = append(d.rejects, reject(reason, raw, err))
}

func (d *decoder) control(name, detail string) {
	d.events = append(d.events, schema.Event{Kind: schema.KindControl, Control: name, Detail: detail})
}

// Names of control messages that are not the message's own.
const (
	controlEmpty   = "empty"
	controlUnknown = "unknown"
	controlProblem = "problem"
)

var errScalar = errors.New("a JSON value that is no object")

func (d *decoder) value(v []byte) {
	switch jsontext.Value(v).Kind() {
	case 'n':
		d.control(controlEmpty, "")
	case '{':
		d.object(v)
	case '[':
		d.array(v)
	default:
		d.reject(schema.NotTweet, v, errScalar)
	}
}

func (d *decoder) array(v []byte) {
	var elements []jsontext.Value
	if err := json.Unmarshal(v, &elements, wireOptions); err != nil {
		d.reject(schema.BadJSON, v, err)
		return
	}
	if len(elements) == 0 {
		d.control(controlEmpty, "")
	}
	for _, e := range elements {
		d.value(e)
	}
}

func (d *decoder) object(v []byte) {
	var m message
	if err := json.Unmarshal(v, &m, wireOptions); err != nil {
		d.reject(schema.BadJSON, v, err)
		return
	}
	switch {
	case m.Data.kind != 0:
		d.data(v, &m)
	case m.valid():
		d.tweets(v, &m, &m.tweetJSON)
	default:
		d.other(v)
	}
}

// data takes an object with "data".
func (d *decoder) data(v []byte, m *message) {
	switch {
	case m.Data.kind == 'n', m.Data.kind == '[' && len(m.Data.items) == 0:
		d.control(controlEmpty, "")
	case m.Data.kind == '[':
		d.page(v, m)
	case m.Data.kind != '{':
		d.reject(schema.NotTweet, v, errScalar)
	default:
		d.envelope(v, m)
	}
}

// page takes an API reply, whose data is a list.
func (d *decoder) page(v []byte, m *message) {
	var own []*tweetJSON
	for i := range m.Data.items {
		c := &m.Data.items[i]
		if c.valid() {
			own = append(own, &c.tweetJSON)
		} else {
			d.rejectCandidate(c.raw)
		}
	}
	d.tweets(v, m, own...)
}

// envelope takes a message of a stream, whose data is an object.
func (d *decoder) envelope(v []byte, m *message) {
	c := &m.Data.items[0]
	if c.valid() {
		d.tweets(v, m, &c.tweetJSON)
		return
	}
	inner := members(c.raw)
	switch _, isDelete := inner["delete"]; {
	case len(inner) == 0:
		d.control(controlEmpty, "")
	case isDelete:
		d.notice("delete", inner["delete"])
	default:
		d.rejectCandidate(c.raw)
	}
}

// other takes an object that is no tweet and has no data.
func (d *decoder) other(v []byte) {
	m := members(v)
	name := noticeName(m)
	switch {
	case len(m) == 0:
		d.control(controlEmpty, "")
	case name != "" && !m.has("text"):
		d.notice(name, m[name])
	case m.has("errors"), m.has("title") && m.has("type"):
		d.control(controlProblem, problemDetail(v))
	case m.has("meta") && !m.has("id"):
		d.control(controlEmpty, "")
	case m.has("id"), m.has("id_str"), m.has("text"), m.has("username"), m.has("action"):
		d.rejectCandidate(v)
	default:
		d.control(controlUnknown, strings.Join(slices.Sorted(maps.Keys(m)), " "))
	}
}

// rejectCandidate rejects what is no tweet: as a broken one where it looks
// like one.
func (d *decoder) rejectCandidate(raw []byte) {
	m := members(raw)
	tweetlike := m.has("user") && m.has("created_at") || m.has("id") && len(m) == 1
	for _, name := range []string{"text", "full_text", "id_str", "edit_history_tweet_ids", "edit_history_post_ids", "retweeted"} {
		tweetlike = tweetlike || m.has(name)
	}
	if !tweetlike {
		d.reject(schema.NotTweet, raw, errors.New("not a tweet"))
		return
	}
	var w tweetJSON
	json.Unmarshal(raw, &w, wireOptions) // for the message only
	d.reject(schema.InvalidTweet, raw, w.check())
}

// check says why w is not a tweet, or nil.
func (w *tweetJSON) check() error {
	if id := string(w.id()); !schema.ValidID(id) {
		return fmt.Errorf("%.40q is not an id", id)
	}
	if !w.fullText().valid {
		return errors.New("no text")
	}
	return nil
}

func (w *tweetJSON) valid() bool {
	return schema.ValidID(string(w.id())) && w.fullText().valid
}

// objectMembers holds the members of a JSON object by name.
type objectMembers map[string]jsontext.Value

func members(v []byte) objectMembers {
	var m objectMembers
	if jsontext.Value(v).Kind() == '{' {
		json.Unmarshal(v, &m, wireOptions) // the scanner found it valid
	}
	return m
}

func (m objectMembers) has(name string) bool {
	_, ok := m[name]
	return ok
}

// tweets delivers the tweets of a record, behind those that stand only beside
// them.
func (d *decoder) tweets(v []byte, m *message, own ...*tweetJSON) {
	p := newPage(m, d.observed)
	large := len(v) > schema.MaxEventBytes/maxGrowth
	for _, w := range referenced(m, own) {
		d.add(schema.Event{Kind: schema.KindReferenced, Tweet: p.tweet(w)}, w.rawOr(v), large)
	}
	for _, w := range own {
		t := p.tweet(w)
		p.addRules(t)
		d.add(schema.Event{Kind: schema.KindTweet, Tweet: t}, w.rawOr(v), large)
	}
}

// rawOr returns the bytes of w where they are known, else those of its record.
func (w *tweetJSON) rawOr(record []byte) []byte {
	if w.raw != nil {
		return w.raw
	}
	return record
}

// maxGrowth bounds how much larger an event is than its record: a bad byte of
// the text becomes three bytes in two fields.
const maxGrowth = 8

// add delivers an event unless it is too large to be sent on. large says that
// it may be.
func (d *decoder) add(e schema.Event, raw []byte, large bool) {
	if large {
		b, err := schema.Encode(&e)
		if err == nil && len(b) > schema.MaxEventBytes {
			err = fmt.Errorf("tweet %s takes %d bytes, more than %d", e.Tweet.ID, len(b), schema.MaxEventBytes)
		}
		if err != nil {
			d.reject(schema.TooLarge, raw, err)
			return
		}
	}
	d.events = append(d.events, e)
}

// referenced returns the whole tweets that stand in a record beside its own,
// each id once.
func referenced(m *message, own []*tweetJSON) []*tweetJSON {
	var found []*tweetJSON
	for _, w := range own {
		found = w.nested(found)
	}
	if in := m.Includes.v; in != nil {
		for _, list := range [][]candidate{in.Tweets.items, in.Posts.items} {
			for i := range list {
				found = append(found, &list[i].tweetJSON)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	known := make(map[flexID]bool, len(own)+len(found))
	for _, w := range own {
		known[w.id()] = true
	}
	return slices.DeleteFunc(found, func(w *tweetJSON) bool {
		if !w.valid() || known[w.id()] { // a mere {type, id} is not valid
			return true
		}
		known[w.id()] = true
		return false
	})
}

// nested appends the tweets within w.
func (w *tweetJSON) nested(found []*tweetJSON) []*tweetJSON {
	for _, list := range [][]referenceJSON{w.Referenced.items, w.ReferencedPosts.items} {
		for i := range list {
			inner := &list[i].tweetJSON
			found = inner.nested(append(found, inner))
		}
	}
	for _, inner := range []*tweetJSON{w.Retweet.v, w.Quoted.v} {
		if inner != nil {
			found = inner.nested(append(found, inner))
		}
	}
	return found
}
