package search

import (
	"visualizer/query/words"
	"visualizer/schema"
)

// postings tell which exemplars have a value or a word, so that few of them
// need to be tried: a thousand tweets are in no processor's cache.
type postings map[posting][]int

// posting is a value of an index field.
type posting struct{ field, value string }

func newPostings(candidates []*Candidate) postings {
	all := postings{}
	add := func(field, value string, i int) {
		key := posting{field, value}
		if list := all[key]; len(list) == 0 || list[len(list)-1] != i {
			all[key] = append(list, i)
		}
	}
	lists := (&Filter{}).lists()
	for i, c := range candidates {
		for _, l := range lists {
			for _, v := range l.has(c.tweet) {
				add(l.field, v, i)
			}
		}
		for _, w := range c.text() {
			add(schema.FieldWords, w, i)
		}
	}
	return all
}

// of returns the exemplars among which all are that a predicate matches, as few
// as can be told at once; false when that may be any.
func (all postings) of(p *Predicate) (some []int, known bool) {
	take := func(more []int, possible bool) {
		if possible && (!known || len(more) < len(some)) {
			some, known = more, true
		}
	}
	for i := range p.lists {
		take(all.ofList(&p.lists[i]))
	}
	if p.text != nil {
		take(anyOf(p.text.Branches, all.ofBranch))
	}
	if p.hasAny {
		take(anyOf(p.any, all.of))
	}
	return some, known
}

// anyOf returns what may match one of several; false when that may be any
// exemplar.
func anyOf[T any](several []T, of func(T) ([]int, bool)) (some []int, known bool) {
	for _, one := range several {
		more, known := of(one)
		if !known {
			return nil, false
		}
		some = append(some[:len(some):len(some)], more...)
	}
	return some, true
}

func (all postings) ofList(c *condition) (some []int, known bool) {
	if c.lacks || c.flag {
		return nil, false
	}
	return anyOf(c.values, func(v string) ([]int, bool) { return all[posting{c.field, v}], true })
}

// ofBranch goes by the rarest word.
func (all postings) ofBranch(b words.Branch) (some []int, known bool) {
	for _, t := range b {
		whole := t.Words
		if t.Prefix {
			whole = whole[:len(whole)-1]
		}
		if t.Exclude {
			continue
		}
		for _, w := range whole {
			if more := all[posting{schema.FieldWords, w}]; !known || len(more) < len(some) {
				some, known = more, true
			}
		}
	}
	return some, known
}
