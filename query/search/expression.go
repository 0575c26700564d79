package search

import (
	"strconv"
	"strings"

	"visualizer/schema"
)

// expression is a filter as FT.SEARCH reads it. Every client string stands in
// params, so none can be syntax.
type expression struct {
	query  string
	params []string // name, value, …
	fields []string // of the index, that the query names
	window window   // on createdAt, kept apart so that a page can narrow it
	none   bool     // nothing can match: Redis need not be asked
}

// expressionOf is the one place where a filter becomes a query.
func expressionOf(f *Filter) expression {
	var e expression
	if f == nil {
		return e
	}
	var parts []string
	for _, c := range f.lists() {
		if len(c.values) == 0 {
			return expression{none: true}
		}
		parts = append(parts, e.anyOf(c))
	}
	e.query = strings.Join(parts, " ")
	if f.Since != nil {
		e.window = e.window.atLeast(schema.MomentAt(*f.Since))
	}
	if f.Until != nil {
		e.window = e.window.below(schema.MomentAt(*f.Until))
	}
	e.none = f.Since != nil && f.Until != nil && *f.Since >= *f.Until
	return e
}

// anyOf returns the clause of one condition and adds its parameters.
func (e *expression) anyOf(c condition) string {
	names := make([]string, len(c.values))
	for i, v := range c.values {
		name := "p" + strconv.Itoa(len(e.params)/2)
		e.params = append(e.params, name, schema.TagValue(v))
		names[i] = "$" + name
	}
	e.fields = append(e.fields, c.field)
	return "@" + c.field + ":{" + strings.Join(names, "|") + "}"
}

// in returns the query with createdAt narrowed to w.
func (e expression) in(w window) string {
	query := strings.TrimSpace(e.query + " " + w.clause())
	if query == "" {
		return "*"
	}
	return query
}

// dated returns the query narrowed to w and to tweets whose createdAt is known.
func (e expression) dated(w window) string {
	if w != (window{}) {
		return e.in(w)
	}
	return strings.TrimSpace(e.query + " -" + noDate)
}

// noDate is the clause of tweets whose createdAt is unknown.
const noDate = "@" + schema.FieldNulls + ":{" + schema.FieldCreatedAt + "}"

// withoutDate returns the query for tweets whose createdAt is unknown; false
// when the filter asks for a date, which those don't have.
func (e expression) withoutDate() (string, bool) {
	if e.window != (window{}) {
		return "", false
	}
	return strings.TrimSpace(e.query + " " + noDate), true
}

// window is a range of createdAt; the zero window is open on both sides.
type window struct {
	from, to edge
}

// edge is one end of a window.
type edge struct {
	at      schema.Moment
	closed  bool // the end itself is inside
	present bool
}

// atLeast narrows w to moments from m on.
func (w window) atLeast(m schema.Moment) window {
	if !w.from.present || m > w.from.at {
		w.from = edge{m, true, true}
	}
	return w
}

// atMost narrows w to moments up to m.
func (w window) atMost(m schema.Moment) window {
	if !w.to.present || m < w.to.at {
		w.to = edge{m, true, true}
	}
	return w
}

// below narrows w to moments before m.
func (w window) below(m schema.Moment) window {
	if !w.to.present || m <= w.to.at {
		w.to = edge{m, false, true}
	}
	return w
}

// clause returns the window as a query, "" when it is open.
func (w window) clause() string {
	if w == (window{}) {
		return ""
	}
	return "@" + schema.FieldCreatedAt + ":[" + w.from.or("-inf") + " " + w.to.or("+inf") + "]"
}

func (e edge) or(open string) string {
	switch {
	case !e.present:
		return open
	case e.closed:
		return e.at.String()
	}
	return "(" + e.at.String()
}
