package search

// place is a position's sort keys in a segment, most significant first. A
// segment with one key has 0 in the other.
type place [2]int64

func (p place) compare(q place) int {
	if p[0] != q[0] {
		return order(p[0] < q[0])
	}
	if p[1] != q[1] {
		return order(p[1] < q[1])
	}
	return 0
}

func order(less bool) int {
	if less {
		return -1
	}
	return 1
}

// stretch is a range of places, its ends included; a nil end is open.
type stretch struct{ from, to *place }

// and returns what lies in both.
func (s stretch) and(t stretch) stretch {
	if t.from != nil && (s.from == nil || t.from.compare(*s.from) > 0) {
		s.from = t.from
	}
	if t.to != nil && (s.to == nil || t.to.compare(*s.to) < 0) {
		s.to = t.to
	}
	return s
}

// empty reports whether nothing can lie in the stretch.
func (s stretch) empty() bool {
	return s.from != nil && s.to != nil && s.from.compare(*s.to) > 0
}

// open reports whether everything lies in the stretch.
func (s stretch) open() bool { return s.from == nil && s.to == nil }

// covers reports whether all of t lies in s.
func (s stretch) covers(t stretch) bool {
	return (s.from == nil || t.from != nil && s.from.compare(*t.from) <= 0) &&
		(s.to == nil || t.to != nil && s.to.compare(*t.to) >= 0)
}

// boxes returns the stretch as windows on the segment's keys: a place is in it
// just when it is in one of them.
func (s segment) boxes(st stretch) []branch {
	fields := s.keyFields()
	if len(fields) == 1 {
		return []branch{branch{}.in(fields[0], st.first())}
	}
	cutFrom, cutTo := st.from != nil && st.from[1] > firstSecond, st.to != nil && st.to[1] < lastSecond
	box := func(first int64, second window) branch {
		return branch{}.in(fields[0], between(first, first)).in(fields[1], second)
	}
	if cutFrom && cutTo && st.from[0] == st.to[0] {
		return []branch{box(st.from[0], between(st.from[1], st.to[1]))}
	}
	var boxes []branch
	middle := st.first()
	if cutFrom {
		boxes = append(boxes, box(st.from[0], atLeast(st.from[1])))
		middle = middle.and(above(st.from[0]))
	}
	if cutTo {
		boxes = append(boxes, box(st.to[0], atMost(st.to[1])))
		middle = middle.and(below(st.to[0]))
	}
	if middle.empty() {
		return boxes
	}
	return append(boxes, branch{}.in(fields[0], middle))
}

// The least and the greatest second key.
const (
	firstSecond = 0
	lastSecond  = 1 << 53
)

// first returns the stretch as a window on the first key.
func (s stretch) first() window {
	var w window
	if s.from != nil {
		w = w.and(atLeast(s.from[0]))
	}
	if s.to != nil {
		w = w.and(atMost(s.to[0]))
	}
	return w
}

// stretchOf returns the places that a window on the only key holds, rounded to
// whole keys.
func stretchOf(w window) stretch {
	var s stretch
	if w.from.present {
		s.from = &place{w.from.key}
	}
	if w.to.present {
		s.to = &place{w.to.key}
	}
	return s
}

// rounded returns the stretch with its ends moved outwards to where the first
// key changes, except for keys that many tweets share: a range of the second
// key that is open on one side costs more than a few tweets.
func (s stretch) rounded(sample *sample) stretch {
	if s.from != nil && sample.sharing(s.from[0]) < manySharing {
		s.from = &place{s.from[0], firstSecond}
	}
	if s.to != nil && sample.sharing(s.to[0]) < manySharing {
		s.to = &place{s.to[0], lastSecond}
	}
	return s
}

const manySharing = 2000
