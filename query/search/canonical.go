package search

import (
	"fmt"
	"slices"
	"strings"
)

// Canonical is equal for two predicates just when they ask the same in the same
// parts: the order of values and filters, their case and what is not given make
// no difference.
func (p *Predicate) Canonical() string {
	var b strings.Builder
	if p.text != nil {
		fmt.Fprintf(&b, "text%q", p.text.Canonical())
	}
	for _, c := range p.lists {
		fmt.Fprintf(&b, "%s%v%q", c.name, !c.lacks, c.values)
	}
	for _, t := range []struct {
		name string
		at   any
	}{{"since", p.since}, {"until", p.until}} {
		fmt.Fprintf(&b, "%s%v", t.name, t.at)
	}
	for _, m := range p.minima {
		fmt.Fprintf(&b, "%s%d", m.name, m.least)
	}
	fmt.Fprintf(&b, "near%vwithin%v", p.near, p.within)
	if p.hasAny {
		fmt.Fprintf(&b, "any%q", p.alternatives())
	}
	if p.not != nil {
		fmt.Fprintf(&b, "not(%s)", p.not.Canonical())
	}
	return b.String()
}

func (p *Predicate) alternatives() []string {
	names := make([]string, len(p.any))
	for i, q := range p.any {
		names[i] = q.Canonical()
	}
	slices.Sort(names)
	return slices.Compact(names)
}
