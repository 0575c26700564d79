package source

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"visualizer/schema"
)

// message is a JSON object of a stream or file: an envelope around tweets, or
// one tweet itself.
type message struct {
	tweetJSON
	Data     payload              `json:"data"`
	Includes object[includesJSON] `json:"includes"`
	Rules    objects[ruleJSON]    `json:"matching_rules"`
	Twarc    object[twarcJSON]    `json:"__twarc"`
}

// payload is the value of "data".
type payload struct {
	kind   jsontext.Kind // 0 when there is no such member
	object *candidate
	list   rawJSON
}

// UnmarshalJSONFrom reads any JSON value.
func (p *payload) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = payload{kind: dec.PeekKind()}
	if p.kind == '{' {
		p.object = new(candidate)
		return json.UnmarshalDecode(dec, p.object)
	}
	return p.list.UnmarshalJSONFrom(dec)
}

// rawJSON is a value as it stands in the record. It shares its bytes.
type rawJSON []byte

// UnmarshalJSONFrom reads any JSON value.
func (r *rawJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return r.around(dec, dec.SkipValue)
}

// around sets r to the value that read reads.
func (r *rawJSON) around(dec *jsontext.Decoder, read func() error) error {
	before := dec.UnreadBuffer()
	if err := read(); err != nil {
		return err
	}
	*r = before[:len(before)-len(dec.UnreadBuffer())]
	for len(*r) > 0 && ((*r)[0] <= ' ' || (*r)[0] == ',' || (*r)[0] == ':') {
		*r = (*r)[1:]
	}
	return nil
}

// candidate is a value that may be a tweet.
type candidate struct{ tweetJSON }

// UnmarshalJSONFrom reads any JSON value, of which only an object has members.
func (c *candidate) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = candidate{}
	return c.raw.around(dec, func() error {
		if dec.PeekKind() != '{' {
			return dec.SkipValue()
		}
		return json.UnmarshalDecode(dec, &c.tweetJSON)
	})
}

// nestedJSON is a tweet within another or beside others, or only {type, id}:
// as much as tells which. The rest is read from raw when it is wanted.
type nestedJSON struct {
	raw rawJSON
	nestedMembers
}

type nestedMembers struct {
	Type     flexString `json:"type"`
	ID       flexID     `json:"id"`
	IDStr    flexID     `json:"id_str"`
	Text     flexString `json:"text"`
	FullText flexString `json:"full_text"`
}

// UnmarshalJSONFrom reads any JSON value, of which only an object has members.
func (n *nestedJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*n = nestedJSON{}
	return n.raw.around(dec, func() error {
		if dec.PeekKind() != '{' {
			return dec.SkipValue()
		}
		return json.UnmarshalDecode(dec, &n.nestedMembers)
	})
}

func (n *nestedJSON) id() flexID {
	if n.IDStr != "" {
		return n.IDStr
	}
	return n.ID
}

// valid reports whether n is a whole tweet.
func (n *nestedJSON) valid() bool {
	return schema.ValidID(string(n.id())) && (n.Text.valid || n.FullText.valid)
}

type includesJSON struct {
	Users  objects[userJSON]  `json:"users"`
	Tweets rawJSON            `json:"tweets"`
	Posts  rawJSON            `json:"posts"`
	Places objects[placeJSON] `json:"places"`
	Media  objects[mediaJSON] `json:"media"`
}

type ruleJSON struct {
	ID  flexID     `json:"id"`
	Tag flexString `json:"tag"`
}

// twarcJSON is what twarc2 adds to a page.
type twarcJSON struct {
	RetrievedAt flexString `json:"retrieved_at"`
}
