package search

import (
	"strings"

	"visualizer/schema"
)

// walk is a way through a list: from one position, which is left out, towards
// another, which is left out too. A nil position is the list's end.
type walk struct {
	list     Order
	backward bool
	from, to *position
	// inclusive lets from itself belong to the walk.
	inclusive bool
}

// descending reports whether the walk meets larger values first.
func (w walk) descending() bool { return w.list.Descending != w.backward }

// compare is negative when the walk meets p before q.
func (w walk) compare(p, q position) int {
	c := w.list.compare(p, q)
	if w.backward {
		return -c
	}
	return c
}

// holds reports whether p is on the walk.
func (w walk) holds(p position) bool {
	if w.from != nil {
		if c := w.compare(*w.from, p); c > 0 || c == 0 && !w.inclusive {
			return false
		}
	}
	return w.to == nil || w.compare(p, *w.to) < 0
}

// segments returns the parts of the list that the walk passes, in its order.
func (w walk) segments() []segment {
	valued, nulls := segment{order: w.list}, segment{order: w.list, nulls: true}
	first, last := w.from, w.to
	if w.backward {
		first, last = w.to, w.from
	}
	var passed []segment
	if first == nil || first.value != nil {
		passed = append(passed, valued)
	}
	if last == nil || last.value == nil {
		passed = append(passed, nulls)
	}
	if w.backward && len(passed) == 2 {
		passed[0], passed[1] = passed[1], passed[0]
	}
	return passed
}

// bounds returns the walk's positions in a segment as lower and upper bounds of
// its keys, nil where it is open.
func (w walk) bounds(s segment) (lower, upper *position) {
	lower, upper = s.only(w.from), s.only(w.to)
	if w.descending() {
		lower, upper = upper, lower
	}
	return lower, upper
}

// stretch returns the places of a segment that the walk passes. It holds the
// ties of both ends as well.
func (w walk) stretch(s segment) stretch {
	var st stretch
	lower, upper := w.bounds(s)
	if lower != nil {
		st.from = new(s.place(*lower))
	}
	if upper != nil {
		st.to = new(s.place(*upper))
	}
	return st
}

// filter returns the walk's bounds in a segment as a FILTER of FT.AGGREGATE, ""
// when it is open.
func (w walk) filter(s segment) string {
	lower, upper := w.bounds(s)
	var parts []string
	if lower != nil {
		parts = append(parts, beyond(s.terms(*lower), ">", w.inclusive && !w.descending()))
	}
	if upper != nil {
		parts = append(parts, beyond(s.terms(*upper), "<", w.inclusive && w.descending()))
	}
	return strings.Join(parts, " && ")
}

// beyond returns the lexicographic comparison of fields with values:
// a > x || (a == x && (b > y || …)).
func beyond(terms []term, op string, orEqual bool) string {
	name, value := "@"+terms[0].field, terms[0].literal
	if len(terms) == 1 {
		if orEqual {
			op += "="
		}
		return "(" + name + " " + op + " " + value + ")"
	}
	return "(" + name + " " + op + " " + value + " || (" + name + " == " + value + " && " +
		beyond(terms[1:], op, orEqual) + "))"
}

// behind is the walk to what lies on the other side of w's beginning, which it
// includes: the tweet of a cursor is behind the page that follows it.
func (w walk) behind() walk {
	return walk{list: w.list, backward: !w.backward, from: w.from, inclusive: true}
}

// ahead is the walk beyond rows, the tweets that w met first: to the end of
// the list, whatever cursor w ended at.
func (w walk) ahead(rows []*schema.Tweet) walk {
	next := walk{list: w.list, backward: w.backward, from: w.from}
	if len(rows) > 0 {
		p := w.list.positionOf(rows[len(rows)-1])
		next.from = &p
	}
	return next
}
