package search

import (
	"maps"
	"slices"
	"strings"
)

// clause is a part of a query that must hold, or must not.
type clause struct {
	text   string
	negate bool
}

func (c clause) String() string {
	if c.negate {
		return "-(" + c.text + ")"
	}
	return c.text
}

// branch is a conjunction: every clause holds and every field lies in its
// window.
type branch struct {
	clauses []clause
	windows map[string]window // by field of the index
}

// and returns what both branches say, false when they exclude each other.
func (b branch) and(c branch) (branch, bool) {
	both := branch{clauses: slices.Concat(b.clauses, c.clauses), windows: maps.Clone(b.windows)}
	for field, w := range c.windows {
		if both = both.in(field, w); both.windows[field].empty() {
			return both, false
		}
	}
	return both, true
}

// in narrows a field to a window. It may change the windows of b.
func (b branch) in(field string, w window) branch {
	if b.windows == nil {
		b.windows = map[string]window{}
	}
	b.windows[field] = b.windows[field].and(w)
	return b
}

// query returns the branch as FT.SEARCH reads it; "" is every tweet.
func (b branch) query() string {
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(b.windows)) {
		if w := b.windows[field]; w != (window{}) {
			parts = append(parts, w.clause(field))
		}
	}
	for _, c := range b.clauses {
		parts = append(parts, c.String())
	}
	return strings.Join(parts, " ")
}

// negation is what holds just when the branch doesn't; false when the branch
// always holds.
func (b branch) negation() (clause, bool) {
	text := b.query()
	if text == "" {
		return clause{}, false
	}
	if len(b.clauses) == 1 && len(b.windows) == 0 {
		c := b.clauses[0]
		return clause{text: c.text, negate: !c.negate}, true
	}
	return clause{text: text, negate: true}, true
}
