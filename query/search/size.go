package search

import (
	"slices"

	"visualizer/query/words"
)

// size is how large a predicate becomes as an expression, at most.
type size struct {
	cases  int // branches
	values int // in all of them together
}

// What an expression may have. RediSearch opens each value before it looks at
// the time, so that a query of this size takes it some 50 ms at worst.
const (
	maxCases = 1000
	maxTerms = 10_000
	// prefixValues is what a prefix weighs: it stands for all words that begin
	// with it.
	prefixValues = 500
)

// cross is the size of one of a and one of b.
func (a size) cross(b size) size {
	const enough = maxTerms + 1 // keeps the products small
	return size{
		cases:  min(a.cases*b.cases, enough),
		values: min(a.values*b.cases+b.values*a.cases, enough),
	}
}

// measure returns the size of a predicate whose nested ones are measured.
func (p *Predicate) measure() size {
	own := size{cases: 1, values: len(p.minima) + 4}
	for _, l := range p.lists {
		own.values += len(l.values)
	}
	if p.not != nil {
		own.values += p.not.size.values
	}
	if p.text != nil {
		own = own.cross(sizeOf(p.text))
	}
	if !p.hasAny {
		return own
	}
	var alternatives size
	for _, q := range p.any {
		alternatives.cases += q.size.cases
		alternatives.values += q.size.values
	}
	return own.cross(alternatives)
}

func sizeOf(q *words.Query) size {
	s := size{cases: 1}
	if !safe(q) {
		s.cases = len(q.Branches)
	}
	for _, b := range q.Branches {
		for _, t := range b {
			s.values += len(t.Words)
			if t.Prefix {
				s.values += prefixValues
			}
		}
	}
	return s
}

// safe reports whether a text excludes nothing.
func safe(q *words.Query) bool {
	return !slices.ContainsFunc(q.Branches, func(b words.Branch) bool {
		return slices.ContainsFunc(b, func(t words.Term) bool { return t.Exclude })
	})
}

// hasPrefix reports whether a text holds a prefix.
func hasPrefix(q *words.Query) bool {
	return slices.ContainsFunc(q.Branches, func(b words.Branch) bool {
		return slices.ContainsFunc(b, func(t words.Term) bool { return t.Prefix })
	})
}
