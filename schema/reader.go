package schema

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// reader reads JSON that is well-formed and compact, as Redis returns a
// document, and takes what it does not know for failed: then the caller reads
// the document by Decode. What is skipped is not looked into, which is the
// point of it.
type reader struct {
	json   string
	at     int
	failed bool
}

// is reports whether c comes next, and passes it then.
func (r *reader) is(c byte) bool {
	if r.at < len(r.json) && r.json[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *reader) expect(c byte) {
	if !r.is(c) {
		r.failed = true
	}
}

// object calls member with each name in an object, to read the value.
func (r *reader) object(member func(name string)) {
	r.expect('{')
	for first := true; !r.failed && !r.is('}'); first = false {
		if !first {
			r.expect(',')
		}
		name := r.raw()
		r.expect(':')
		if r.failed {
			return
		}
		member(name)
	}
}

// list calls element for each element of an array, to read it.
func (r *reader) list(element func()) {
	r.expect('[')
	for first := true; !r.failed && !r.is(']'); first = false {
		if !first {
			r.expect(',')
		}
		if !r.failed {
			element()
		}
	}
}

// raw returns what stands between the quotes of a string.
func (r *reader) raw() string {
	r.expect('"')
	for end := r.at; !r.failed; end++ {
		i := strings.IndexByte(r.json[end:], '"')
		if i < 0 {
			break
		}
		end += i
		if inside := r.json[r.at:end]; !escapes(inside) {
			r.at = end + 1
			return inside
		}
	}
	r.failed = true
	return ""
}

// escapes reports whether s ends in an odd number of backslashes.
func escapes(s string) bool {
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// text reads a string. It shares no memory with the document, which is longer.
func (r *reader) text() string {
	raw := r.raw()
	if strings.IndexByte(raw, '\\') < 0 {
		return strings.Clone(raw)
	}
	text, err := jsontext.AppendUnquote(nil, `"`+raw+`"`)
	r.failed = r.failed || err != nil
	return string(text)
}

func (r *reader) opt() Opt { return Opt(r.text()) }

// literal returns the characters of a number or of true, false, null.
func (r *reader) literal() string {
	from := r.at
	for ; r.at < len(r.json); r.at++ {
		if c := r.json[r.at]; c == ',' || c == ']' || c == '}' {
			break
		}
	}
	return r.json[from:r.at]
}

func (r *reader) integer() int64 {
	n, err := strconv.ParseInt(r.literal(), 10, 64)
	r.failed = r.failed || err != nil
	return n
}

func (r *reader) counter() *int64 { return new(r.integer()) }

func (r *reader) moment() *Time { return new(Time(r.integer())) }

func (r *reader) float() float64 {
	f, err := strconv.ParseFloat(r.literal(), 64)
	r.failed = r.failed || err != nil
	return f
}

func (r *reader) boolean() bool {
	switch r.literal() {
	case "true":
		return true
	case "false":
		return false
	}
	r.failed = true
	return false
}

func (r *reader) texts() []string {
	texts := []string{}
	r.list(func() { texts = append(texts, r.text()) })
	return texts
}

func (r *reader) floats() []float64 {
	floats := []float64{}
	r.list(func() { floats = append(floats, r.float()) })
	return floats
}

// skip passes a value.
func (r *reader) skip() {
	for depth := 0; !r.failed; {
		switch {
		case r.at >= len(r.json):
			r.failed = true
		case r.json[r.at] == '"':
			r.raw()
		case r.is('{'), r.is('['):
			depth++
		case depth > 0 && (r.is('}') || r.is(']')):
			depth--
		case depth > 0 && (r.is(',') || r.is(':')):
		default:
			r.failed = r.literal() == ""
		}
		if depth == 0 {
			return
		}
	}
}
