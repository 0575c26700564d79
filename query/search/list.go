package search

import "visualizer/schema"

// list is what a request pages through: the tweets of a filter in an order.
type list struct {
	expression
	filter string // digest of the canonical one
	order  Order
	parts  schema.Parts // of its tweets that are read
	// predicate is the filter as it decides about tweets.
	predicate *Predicate
	plan      *Plan
	// epoch is that of the store before the first call; "" when nothing is to
	// be cached.
	epoch string
}

// question returns what the planner remembers a segment of the list by.
func (l *list) question(seg segment) question { return question{l.filter, seg} }

// hull returns the smallest stretch of a segment that holds what the filter
// leaves of it, as far as the filter asks for its key.
func (l *list) hull(seg segment) stretch {
	if len(seg.keyFields()) > 1 {
		return stretch{} // no filter has a range of these
	}
	var hull window
	for i, b := range l.branches {
		w := b.windows[seg.field()]
		if i == 0 {
			hull = w
			continue
		}
		hull = hull.or(w)
	}
	return stretchOf(hull)
}
