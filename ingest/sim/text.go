package sim

import "unicode/utf8"

// entityKind is the list of entities that an entity belongs to.
type entityKind uint8

const (
	hashtag entityKind = iota
	cashtag
	mention
	link
	entityKinds = iota
)

// entity is a part of a text that means something. Offsets count code points
// of the raw text, the end is outside.
type entity struct {
	kind       entityKind
	start, end int32
	name       string // of a tag or a user
	// user is the index of a mentioned author, or noOne; its id is delivered
	// when withID.
	user   int32
	withID bool
	link   target
}

// noOne stands for a user who can't be found any more.
const noOne = -1

// content is a text with its entities. Its memory is used again.
type content struct {
	text  []byte
	runes int
	ents  []entity
}

func (c *content) reset() {
	c.text, c.runes = c.text[:0], 0
	clear(c.ents)
	c.ents = c.ents[:0]
}

func (c *content) empty() bool { return c.runes == 0 }

// add appends s.
func (c *content) add(s string) {
	c.text = append(c.text, s...)
	c.runes += utf8.RuneCountInString(s)
}

// space separates what comes next from what is there.
func (c *content) space() {
	if n := len(c.text); n > 0 && c.text[n-1] != ' ' && c.text[n-1] != '\n' {
		c.add(" ")
	}
}

// mark appends sign and name as an entity and returns it.
func (c *content) mark(kind entityKind, sign, name string) *entity {
	c.space()
	start := int32(c.runes)
	c.add(sign)
	c.add(name)
	c.ents = append(c.ents, entity{kind: kind, start: start, end: int32(c.runes), name: name, user: noOne})
	return &c.ents[len(c.ents)-1]
}

// copyOf makes c, which is empty, equal to o.
func (c *content) copyOf(o *content) {
	c.text, c.runes = append(c.text, o.text...), o.runes
	c.ents = append(c.ents, o.ents...)
}

// cut appends the beginning of from up to about limit code points, with the
// entities that are whole in it and an ellipsis in place of the rest.
func (c *content) cut(from *content, limit int) {
	room := limit - c.runes
	if from.runes <= room {
		room = from.runes
	} else {
		room = wholeEscapes(from.text, room-1) // one for the ellipsis
	}
	shift := int32(c.runes)
	c.text = append(c.text, from.text[:byteOffset(from.text, room)]...)
	c.runes += room
	for _, e := range from.ents {
		if int(e.end) <= room {
			e.start, e.end = e.start+shift, e.end+shift
			c.ents = append(c.ents, e)
		}
	}
	if room < from.runes {
		c.add("…")
	}
}

// maxEscape is the longest HTML escape of the API, "&amp;".
const maxEscape = 5

// wholeEscapes returns n, or less when that would cut an HTML escape: the API
// counts an escape as the one character it stands for.
func wholeEscapes(text []byte, n int) int {
	end := byteOffset(text, n)
	for i := end - 1; i >= max(0, end-maxEscape+1); i-- {
		switch text[i] {
		case ';':
			return n
		case '&':
			return n - (end - i)
		}
	}
	return n
}

// byteOffset returns where the n-th code point of text starts.
func byteOffset(text []byte, n int) int {
	i := 0
	for ; n > 0; n-- {
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	return i
}

// has reports whether there is an entity of a kind.
func (c *content) has(kind entityKind) bool {
	for i := range c.ents {
		if c.ents[i].kind == kind {
			return true
		}
	}
	return false
}
