package search

import (
	"strconv"
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

// before reports whether the walk meets p before q.
func (w walk) before(p, q position) bool {
	if w.backward {
		return q.before(p, w.list)
	}
	return p.before(q, w.list)
}

// holds reports whether p is on the walk.
func (w walk) holds(p position) bool {
	if w.from != nil && !w.before(*w.from, p) && !(w.inclusive && w.from.equal(p)) {
		return false
	}
	return w.to == nil || w.before(p, *w.to)
}

// dated and undated report whether the walk passes the tweets with and without
// createdAt. Those without stand last in the list, whatever its direction.
func (w walk) dated() bool {
	if w.backward {
		return w.to == nil || w.to.at != nil
	}
	return w.from == nil || w.from.at != nil
}

func (w walk) undated() bool {
	if w.backward {
		return w.from == nil || w.from.at == nil
	}
	return w.to == nil || w.to.at == nil
}

// bounds returns the walk's positions as lower and upper bounds of the dated
// tweets' order, nil where it is open.
func (w walk) bounds() (lower, upper *position) {
	lower, upper = w.from, w.to
	if w.descending() {
		lower, upper = upper, lower
	}
	return lower, upper
}

// narrow returns the window in which all dated tweets of the walk lie. It
// holds the ties of both ends as well.
func (w walk) narrow(win window) window {
	lower, upper := w.bounds()
	if lower != nil && lower.at != nil {
		win = win.atLeast(*lower.at)
	}
	if upper != nil && upper.at != nil {
		win = win.atMost(*upper.at)
	}
	return win
}

// filter returns the walk's bounds as a FILTER of FT.AGGREGATE over the keys
// in names, "" when it is open.
func (w walk) filter(names ...string) string {
	lower, upper := w.bounds()
	dated := names[0] == schema.FieldCreatedAt
	var parts []string
	for _, b := range []struct {
		at *position
		op string
	}{{lower, ">"}, {upper, "<"}} {
		if b.at == nil || (b.at.at != nil) != dated {
			continue
		}
		parts = append(parts, beyond(names, keys(*b.at, dated), b.op, w.inclusive && b.at == w.from))
	}
	return strings.Join(parts, " && ")
}

// keys are the values under which a position sorts, most significant first.
func keys(p position, dated bool) []string {
	seq, lo := schema.SplitNumber(p.id)
	k := []string{strconv.FormatUint(seq, 10), strconv.FormatUint(lo, 10)}
	if dated {
		return append([]string{p.at.String()}, k...)
	}
	return k
}

// beyond returns the lexicographic comparison of names with values:
// a > x || (a == x && (b > y || …)).
func beyond(names, values []string, op string, orEqual bool) string {
	name, value := "@"+names[0], values[0]
	if len(names) == 1 {
		if orEqual {
			op += "="
		}
		return "(" + name + " " + op + " " + value + ")"
	}
	return "(" + name + " " + op + " " + value + " || (" + name + " == " + value + " && " +
		beyond(names[1:], values[1:], op, orEqual) + "))"
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
		p := positionOf(rows[len(rows)-1])
		next.from = &p
	}
	return next
}
