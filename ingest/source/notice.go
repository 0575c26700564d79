package source

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"visualizer/schema"
)

// noticeJSON is the value of any notice.
type noticeJSON struct {
	Status object[noticeTargetJSON] `json:"status"` // delete of v1.1
	Tweet  object[noticeTargetJSON] `json:"tweet"`  // delete of the compliance stream
	Post   object[noticeTargetJSON] `json:"post"`   // the same, by its newer name

	noticeTargetJSON
	UpTo  flexID `json:"up_to_status_id"`
	UpToS flexID `json:"up_to_status_id_str"`

	Countries list[flexString] `json:"withheld_in_countries"`

	Track   flexInt    `json:"track"`
	Reason  flexString `json:"reason"`
	Message flexString `json:"message"`
}

// noticeTargetJSON is the tweet and user that a notice is about.
type noticeTargetJSON struct {
	ID       flexID `json:"id"`
	IDStr    flexID `json:"id_str"`
	UserID   flexID `json:"user_id"`
	UserIDS  flexID `json:"user_id_str"`
	AuthorID flexID `json:"author_id"`
}

func (n *noticeTargetJSON) tweet() schema.Opt { return firstID(n.IDStr, n.ID) }
func (n *noticeTargetJSON) user() schema.Opt  { return firstID(n.UserIDS, n.UserID, n.AuthorID) }

// firstID returns the first that is an id, or "".
func firstID(ids ...flexID) schema.Opt {
	for _, id := range ids {
		if schema.ValidID(string(id)) {
			return schema.Opt(id)
		}
	}
	return ""
}

// notice takes an object that is a notice by its member name. One that asks
// for nothing we can do, or does not say for what, is a control message like
// any other.
func (d *decoder) notice(name string, v []byte) {
	var o object[noticeJSON]
	json.Unmarshal(memberOf(v, name), &o, wireOptions) // whatever it is, it is counted
	n := o.or()
	kind, notice := n.asked(name)
	if notice == nil {
		kind = schema.KindControl
	} else {
		notice.ObservedAt = d.observed
	}
	d.emit(schema.Event{Kind: kind, Notice: notice, Control: name, Detail: clip(n.detail())})
}

// asked returns what a notice asks for, or nil.
func (n *noticeJSON) asked(name string) (schema.Kind, *schema.Notice) {
	switch name {
	case "delete":
		for _, of := range []*noticeTargetJSON{n.Status.v, n.Tweet.v, n.Post.v} {
			if of != nil && of.tweet() != "" {
				return schema.KindDelete, &schema.Notice{TweetID: of.tweet(), UserID: of.user()}
			}
		}
	case "scrub_geo":
		if upTo := firstID(n.UpToS, n.UpTo); upTo != "" && n.user() != "" {
			return schema.KindScrubGeo, &schema.Notice{TweetID: upTo, UserID: n.user()}
		}
	case "status_withheld":
		if n.tweet() != "" {
			return schema.KindWithheld, &schema.Notice{TweetID: n.tweet(), UserID: n.user(), Withheld: n.withheld("tweet")}
		}
	case "user_withheld":
		if n.tweet() != "" { // its id is the user's
			return schema.KindWithheld, &schema.Notice{UserID: n.tweet(), Withheld: n.withheld("user")}
		}
	}
	return "", nil
}

func (n *noticeJSON) withheld(scope schema.Opt) *schema.Withheld {
	w := &schema.Withheld{Scope: scope}
	for _, c := range n.Countries.items {
		if c.s != "" {
			w.CountryCodes = append(w.CountryCodes, c.s)
		}
	}
	return w
}

// detail returns what a person may want to read of a notice.
func (n *noticeJSON) detail() string {
	switch {
	case n.Track.valid:
		return fmt.Sprintf("%d tweets undelivered", n.Track.n)
	case n.Reason.s != "":
		return n.Reason.s
	}
	return n.Message.s
}

// problemJSON is an error of the X API.
type problemJSON struct {
	Type       flexString `json:"type"`
	Title      flexString `json:"title"`
	Detail     flexString `json:"detail"`
	Message    flexString `json:"message"` // v1.1
	Disconnect flexString `json:"disconnect_type"`
	Connection flexString `json:"connection_issue"`

	Errors objects[problemJSON] `json:"errors"`
}

// Names of problems after which a stream delivers nothing more.
const (
	problemDisconnect = "operational-disconnect"
	problemConnection = "streaming-connection"
)

// problemKind returns the kind of the first problem of v, see Down.Problem.
func problemKind(v []byte) string {
	var p problemJSON
	json.Unmarshal(v, &p, wireOptions) // whatever it is, it ended the stream
	p = p.first()
	return p.kind(downDisconnect)
}

// problemDetail returns the first problem of v as "name: detail (kind)".
func problemDetail(v []byte) string {
	var p problemJSON
	json.Unmarshal(v, &p, wireOptions) // whatever it is, it is counted
	p = p.first()
	parts := []string{p.name(), p.Detail.s + p.Message.s}
	s := strings.Trim(strings.Join(parts, ": "), ": ")
	if kind := p.Disconnect.s + p.Connection.s; kind != "" {
		s += " (" + kind + ")"
	}
	return s
}

// first is the first of several problems, or the one there is.
func (p *problemJSON) first() problemJSON {
	if len(p.Errors.items) > 0 {
		return p.Errors.items[0]
	}
	return *p
}

// name is the last part of the problem's type, which is a URL, or its title.
func (p *problemJSON) name() string {
	if i := strings.LastIndexByte(p.Type.s, '/'); i >= 0 {
		return p.Type.s[i+1:]
	}
	return p.Title.s
}
