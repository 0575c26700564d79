package source

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The types of this file are fields of records. A field never fails its
// record: where the JSON is of another type, the field is as if it were
// absent. Each sets itself anew, so that of members with the same name the
// last one wins.

// wireOptions read whatever the scanner lets through.
var wireOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// flexString is a string.
type flexString struct {
	s      string
	valid  bool // there was one, "" too
	mended bool // it held what can't be text, now U+FFFD
}

// UnmarshalJSONFrom reads a JSON string.
func (f *flexString) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = flexString{}
	v, err := dec.ReadValue()
	if err != nil || v.Kind() != '"' {
		return err
	}
	f.valid = true
	f.s, f.mended = unquote(v)
	return nil
}

const replacement = string(utf8.RuneError)

// unquote returns what a valid JSON string says. Each bad byte, lone surrogate
// and NUL in it is replaced by one U+FFFD.
func unquote(v []byte) (s string, mended bool) {
	if bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
		return string(v[1 : len(v)-1]), false
	}
	b, err := jsontext.AppendUnquote(make([]byte, 0, len(v)), v)
	s = string(b)
	if strings.IndexByte(s, 0) >= 0 {
		return strings.ReplaceAll(s, "\x00", replacement), true
	}
	return s, err != nil
}

// flexID is the digits of an id, given as a string or as an exact integer. It
// is not checked: see schema.ValidID.
type flexID string

// UnmarshalJSONFrom reads a JSON string or integer.
func (f *flexID) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = ""
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch {
	case v.Kind() == '"':
		s, _ := unquote(v)
		*f = flexID(s)
	case v.Kind() == '0' && !bytes.ContainsAny(v, ".eE-"):
		*f = flexID(v)
	}
	return nil
}

// flexInt is a counter, given as a number or as a string of digits.
type flexInt struct {
	n     int64
	valid bool
}

// UnmarshalJSONFrom reads a JSON number or string.
func (f *flexInt) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = flexInt{}
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case '0':
		f.parse(string(v))
	case '"':
		s, _ := unquote(v)
		f.parse(s)
	}
	return nil
}

// maxExactFloat bounds the integers that a float64 holds exactly.
const maxExactFloat = 1 << 53

func (f *flexInt) parse(s string) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil { // some tools write counters as 12.0
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || x != math.Trunc(x) || x >= maxExactFloat {
			return
		}
		n = int64(x)
	}
	if n >= 0 {
		f.n, f.valid = n, true
	}
}

// ptr returns nil when there is no number.
func (f flexInt) ptr() *int64 {
	if !f.valid {
		return nil
	}
	return &f.n
}

// flexBool is a boolean.
type flexBool struct{ b, valid bool }

// UnmarshalJSONFrom reads true or false.
func (f *flexBool) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	k := v.Kind()
	*f = flexBool{b: k == 't', valid: k == 't' || k == 'f'}
	return err
}

// ptr returns nil when there is no boolean.
func (f flexBool) ptr() *bool {
	if !f.valid {
		return nil
	}
	return &f.b
}

// flexFloat is a number, given as one or as a string; NaN when absent.
type flexFloat float64

// UnmarshalJSONFrom reads a JSON number or string.
func (f *flexFloat) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = flexFloat(math.NaN())
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	s := string(v)
	if v.Kind() == '"' {
		s, _ = unquote(v)
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(x, 0) {
		*f = flexFloat(x)
	}
	return nil
}

// maxItems bounds the elements that are kept of an array, so that no record
// takes many times its size. Those behind are as if they were absent; no page
// of the API has as many.
const maxItems = 100_000

// list is an array of values that are tolerant themselves.
type list[T any] struct {
	items []T
	seen  bool // there was an array, [] too
}

// UnmarshalJSONFrom reads a JSON array.
func (l *list[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*l = list[T]{}
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	l.seen = true
	return eachElement(dec, func() error {
		if len(l.items) == maxItems {
			return dec.SkipValue()
		}
		var v T
		if err := json.UnmarshalDecode(dec, &v); err != nil {
			return err
		}
		l.items = append(l.items, v)
		return nil
	})
}

// objects is an array of objects. Elements of another type are left out.
type objects[T any] struct {
	items []T
	seen  bool // there was an array, [] too
}

// UnmarshalJSONFrom reads a JSON array.
func (o *objects[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*o = objects[T]{}
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	o.seen = true
	return eachElement(dec, func() error {
		if dec.PeekKind() != '{' || len(o.items) == maxItems {
			return dec.SkipValue()
		}
		var zero T
		o.items = append(o.items, zero)
		return json.UnmarshalDecode(dec, &o.items[len(o.items)-1])
	})
}

// eachElement calls read before each element of an array.
func eachElement(dec *jsontext.Decoder, read func() error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if err := read(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// object is an object, or nil.
type object[T any] struct{ v *T }

// UnmarshalJSONFrom reads a JSON object.
func (o *object[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	o.v = nil
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	o.v = new(T)
	return json.UnmarshalDecode(dec, o.v)
}

// or returns the object, or an empty one.
func (o object[T]) or() *T {
	if o.v == nil {
		return new(T)
	}
	return o.v
}
