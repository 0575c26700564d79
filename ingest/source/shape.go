package source

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// notices are the messages of streams that name themselves by a member.
var notices = []string{
	"delete", "scrub_geo", "status_withheld", "user_withheld",
	"limit", "disconnect", "warning", "event", "friends",
}

// tweetNames are members that only a tweet has.
var tweetNames = []string{
	"text", "full_text", "id_str", "edit_history_tweet_ids", "edit_history_post_ids", "retweeted",
}

// otherNames are further members that tell what an object is.
var otherNames = []string{
	"id", "user", "created_at", "errors", "title", "type", "meta", "username", "action",
}

// shape is which members an object has, by which one knows what it is when it
// is no tweet.
type shape struct {
	members int
	known   []string // of the names above
	first   []string // names of the first members, for a person
}

// maxFirst is how many members' names are kept for a person.
const maxFirst = 8

// shapeOf returns the shape of a JSON value: without members when it is no
// object.
func shapeOf(v []byte) shape {
	var s shape
	eachMember(v, func(name string, _ jsontext.Value) { s.add(name) })
	return s
}

// memberOf returns the value of an object's member, the last of that name.
func memberOf(v []byte, name string) (value jsontext.Value) {
	eachMember(v, func(n string, member jsontext.Value) {
		if n == name {
			value = member
		}
	})
	return value
}

// eachMember calls f with the members of an object, and not at all with
// another value. The values share the bytes of v.
func eachMember(v []byte, f func(name string, value jsontext.Value)) {
	if jsontext.Value(v).Kind() != '{' {
		return
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), wireOptions)
	dec.ReadToken() // no errors: the scanner found v valid
	for dec.PeekKind() == '"' {
		token, _ := dec.ReadToken()
		name := token.String()
		value, _ := dec.ReadValue()
		f(name, value)
	}
}

func (s *shape) add(name string) {
	s.members++
	if !s.has(name) && (slices.Contains(notices, name) || slices.Contains(tweetNames, name) || slices.Contains(otherNames, name)) {
		s.known = append(s.known, name)
	}
	if len(s.first) < maxFirst {
		s.first = append(s.first, clip(name))
	}
}

func (s *shape) has(name string) bool { return slices.Contains(s.known, name) }

// notice returns the name of the notice that the object is, or "".
func (s *shape) notice() string {
	if i := slices.IndexFunc(notices, s.has); i >= 0 {
		return notices[i]
	}
	return ""
}

// tweetlike reports whether the object must have been meant as a tweet.
func (s *shape) tweetlike() bool {
	return slices.ContainsFunc(tweetNames, s.has) ||
		s.has("user") && s.has("created_at") ||
		s.has("id") && s.members == 1
}

// maxDetail bounds what is kept of a message for a person to read.
const maxDetail = 300

// clip cuts a text for a person to one line of some length.
func clip(s string) string {
	if len(s) > maxDetail {
		s = s[:maxDetail]
		for !utf8.ValidString(s) { // at most three bytes of a character
			s = s[:len(s)-1]
		}
		s += ellipsis
	}
	return strings.ReplaceAll(s, "\n", " ")
}
