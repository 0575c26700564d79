package source

import (
	"bytes"
	"errors"
	"fmt"
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
func Decode(value []byte, observed *schema.Time) (events []schema.Event, rejects []*Rejected) {
	decode(value, observed, func(e schema.Event, r *Rejected) bool {
		if r != nil {
			rejects = append(rejects, r)
		} else {
			events = append(events, e)
		}
		return true
	})
	return events, rejects
}

// decode yields what Decode returns, each as soon as it is known: a page may
// hold more tweets than memory should.
func decode(value []byte, observed *schema.Time, yield func(schema.Event, *Rejected) bool) {
	d := decoder{observed: observed, yield: yield}
	d.value(bytes.TrimSpace(value))
}

type decoder struct {
	observed *schema.Time
	yield    func(schema.Event, *Rejected) bool
	stopped  bool // yield wants no more
}

func (d *decoder) emit(e schema.Event) {
	d.stopped = d.stopped || !d.yield(e, nil)
}

func (d *decoder) reject(reason schema.Reason, raw []byte, err error) {
	d.stopped = d.stopped || !d.yield(schema.Event{}, reject(reason, raw, err))
}

func (d *decoder) control(name, detail string) {
	d.emit(schema.Event{Kind: schema.KindControl, Control: name, Detail: clip(detail)})
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
	n := 0
	err := elements(v, func(dec *jsontext.Decoder) error {
		n++
		e, err := dec.ReadValue()
		if err == nil && !d.stopped {
			d.value(e)
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
		d.single(v, &m, &m.tweetJSON)
	default:
		d.other(v)
	}
}

// data takes an object with "data".
func (d *decoder) data(v []byte, m *message) {
	switch m.Data.kind {
	case 'n':
		d.control(controlEmpty, "")
	case '[':
		d.page(v, m)
	case '{':
		d.envelope(v, m)
	default:
		d.reject(schema.NotTweet, v, errScalar)
	}
}

// envelope takes a message of a stream, whose data is an object.
func (d *decoder) envelope(v []byte, m *message) {
	c := m.Data.object
	if c.valid() {
		d.single(v, m, &c.tweetJSON)
		return
	}
	switch s := shapeOf(c.raw); {
	case s.members == 0:
		d.control(controlEmpty, "")
	case s.has("delete"):
		d.notice("delete", c.raw)
	default:
		d.rejectCandidate(c.raw, s)
	}
}

// other takes an object that is no tweet and has no data.
func (d *decoder) other(v []byte) {
	s := shapeOf(v)
	name := s.notice()
	switch {
	case s.members == 0:
		d.control(controlEmpty, "")
	case name != "" && !s.has("text"):
		d.notice(name, v)
	case s.has("errors"), s.has("title") && s.has("type"):
		d.control(controlProblem, problemDetail(v))
	case s.has("meta") && !s.has("id"):
		d.control(controlEmpty, "")
	case s.has("id"), s.has("id_str"), s.has("text"), s.has("username"), s.has("action"):
		d.rejectCandidate(v, s)
	default:
		d.control(controlUnknown, strings.Join(s.first, " "))
	}
}

// rejectCandidate rejects what is no tweet: as a broken one where it looks
// like one.
func (d *decoder) rejectCandidate(raw []byte, s shape) {
	if !s.tweetlike() {
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

// elements calls read before each element of a valid JSON array.
func elements(v []byte, read func(*jsontext.Decoder) error) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), wireOptions) // reads from v itself
	return eachElement(dec, func() error { return read(dec) })
}
