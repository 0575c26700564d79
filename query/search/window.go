package search

import (
	"strconv"

	"visualizer/schema"
)

// window is a range of a numeric field of the index, in whole keys; the zero
// window is open on both sides.
type window struct {
	from, to edge
}

// edge is one end of a window.
type edge struct {
	key     int64
	open    bool // the end itself is outside
	present bool
}

func atLeast(key int64) window { return window{from: edge{key: key, present: true}} }
func atMost(key int64) window  { return window{to: edge{key: key, present: true}} }
func below(key int64) window   { return window{to: edge{key: key, open: true, present: true}} }
func above(key int64) window   { return window{from: edge{key: key, open: true, present: true}} }

func between(from, to int64) window { return atLeast(from).and(atMost(to)) }

// and returns what lies in both windows.
func (w window) and(v window) window {
	if v.from.present && (!w.from.present || v.from.key > w.from.key || v.from.key == w.from.key && v.from.open) {
		w.from = v.from
	}
	if v.to.present && (!w.to.present || v.to.key < w.to.key || v.to.key == w.to.key && v.to.open) {
		w.to = v.to
	}
	return w
}

// empty reports whether no key can lie in the window.
func (w window) empty() bool {
	if !w.from.present || !w.to.present {
		return false
	}
	return w.from.key > w.to.key || w.from.key == w.to.key && (w.from.open || w.to.open)
}

// clause returns the window on a field as a query.
func (w window) clause(field string) string {
	return "@" + field + ":[" + w.from.text(field, "-inf") + " " + w.to.text(field, "+inf") + "]"
}

func (e edge) text(field, infinite string) string {
	switch {
	case !e.present:
		return infinite
	case e.open:
		return "(" + keyText(field, e.key)
	}
	return keyText(field, e.key)
}

// keyText returns a key as it stands in the index.
func keyText(field string, key int64) string {
	if field == schema.FieldCreatedAt {
		return schema.Moment(key).String()
	}
	return strconv.FormatInt(key, 10)
}

// or returns the smallest window that holds both.
func (w window) or(v window) window {
	if !v.from.present || w.from.present && v.from.key < w.from.key {
		w.from = v.from
	}
	if !v.to.present || w.to.present && v.to.key > w.to.key {
		w.to = v.to
	}
	w.from.open, w.to.open = false, false
	return w
}
