package search

import (
	"slices"
	"strconv"
	"strings"

	"visualizer/query/words"
	"visualizer/schema"
)

// expression is a filter as FT.SEARCH reads it: tweets of any of its branches.
// Every client string stands in params, so none can be syntax.
//
// It is kept in this form because RediSearch 2.10 loses rows of a union that
// holds a negation and is intersected with anything: here unions stand at the
// top only, and what a page adds goes into each branch.
type expression struct {
	branches []branch
	params   []string // name, value, …
	fields   []string // of the index, that the query names
	prefixes bool     // it asks for words by their beginning
}

// expressionOf is the one place where a filter becomes a query.
func expressionOf(p *Predicate) expression {
	c := compiler{names: map[string]string{}}
	branches := c.predicate(p)
	return expression{branches: branches, params: c.params, fields: c.fields, prefixes: c.prefixes}
}

// none reports that nothing can match: Redis need not be asked.
func (e expression) none() bool { return len(e.branches) == 0 }

// query returns the expression narrowed to one of other branches; false when
// nothing is left.
func (e expression) query(narrow ...branch) (string, bool) {
	var texts []string
	negated := false
	for _, b := range e.branches {
		for _, n := range narrow {
			both, possible := b.and(n)
			if !possible {
				continue
			}
			text := both.query()
			if text == "" {
				return "*", true
			}
			texts = append(texts, text)
			negated = negated || slices.ContainsFunc(both.clauses, func(c clause) bool { return c.negate })
		}
	}
	if negated {
		texts = grouped(texts)
	}
	return union(texts), len(texts) > 0
}

func union(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, ")|(") + ")"
}

// groupSize is how many alternatives stand together in a group. From 21 on,
// RediSearch 2.10 reads a union in another way, and finds tweets that no
// alternative with a negation matches.
const groupSize = 19

// grouped returns alternatives that say the same in a union of few. What matches
// no tweet begins each group: a group at the beginning of another would become
// part of it, and so would alternatives that are unions themselves.
func grouped(texts []string) []string {
	for len(texts) > 1 {
		var groups []string
		for group := range slices.Chunk(texts, groupSize) {
			groups = append(groups, union(slices.Concat([]string{nothing}, group)))
		}
		texts = groups
	}
	return texts
}

// nothing matches no tweet.
const nothing = "@" + schema.FieldIs + ":{" + schema.IsNothing + "}"

// compiler turns predicates into branches.
type compiler struct {
	params []string
	names  map[string]string // of params, by value
	fields []string

	prefixes bool
}

// param returns the name of the parameter with a value.
func (c *compiler) param(value string) string {
	name, known := c.names[value]
	if !known {
		name = "p" + strconv.Itoa(len(c.params)/2)
		c.names[value] = name
		c.params = append(c.params, name, value)
	}
	return name
}

// field notes a field of the index that the query needs.
func (c *compiler) field(name string) string {
	c.fields = append(c.fields, name)
	return name
}

// predicate returns the branches of a predicate; none when nothing fulfils it.
func (c *compiler) predicate(p *Predicate) []branch {
	own, possible := c.own(p)
	if !possible {
		return nil
	}
	branches := []branch{own}
	if p.text != nil {
		branches = c.cross(branches, c.text(p.text))
	}
	if p.hasAny {
		var alternatives []branch
		for _, q := range p.any {
			alternatives = append(alternatives, c.predicate(q)...)
		}
		branches = c.cross(branches, alternatives)
	}
	if p.not != nil {
		branches = c.cross(branches, c.negation(p.not))
	}
	return branches
}

// own returns the parts of a predicate that are no alternatives.
func (c *compiler) own(p *Predicate) (branch, bool) {
	var b branch
	for _, l := range p.lists {
		if len(l.values) == 0 {
			return b, false
		}
		b.clauses = append(b.clauses, clause{text: c.list(l), negate: l.lacks})
	}
	if p.since != nil {
		b = b.in(c.field(schema.FieldCreatedAt), atLeast(int64(schema.MomentAt(*p.since))))
	}
	if p.until != nil {
		b = b.in(c.field(schema.FieldCreatedAt), below(int64(schema.MomentAt(*p.until))))
	}
	for _, m := range p.minima {
		b = b.in(c.field(m.field), atLeast(schema.CounterFrom(m.least)))
	}
	if p.near != nil {
		b.clauses = append(b.clauses, clause{text: c.near(p.near)})
	}
	if p.within != nil {
		b = c.within(b, p.within)
	}
	return b, !b.windows[schema.FieldCreatedAt].empty()
}

// list returns the clause of a condition.
func (c *compiler) list(l condition) string {
	names := make([]string, len(l.values))
	for i, v := range l.values {
		names[i] = "$" + c.param(schema.TagValue(v))
	}
	return "@" + c.field(l.field) + ":{" + strings.Join(names, "|") + "}"
}

// near returns the clause of a circle. RediSearch gets the negation of a bare
// vector range wrong, so it never stands alone.
func (c *compiler) near(circle *Circle) string {
	center := schema.Location{Latitude: circle.Latitude, Longitude: circle.Longitude}.Vector()
	radius := strconv.FormatFloat(schema.Chord(circle.RadiusKm), 'g', -1, 64)
	return "(@" + c.field(schema.FieldHasGeo) + ":{1} @" + c.field(schema.FieldNear) +
		":[VECTOR_RANGE $" + c.param(radius) + " $" + c.param(vectorBytes(center)) + "])"
}

func (c *compiler) within(b branch, box *Box) branch {
	latitudes := between(schema.DegreeKey(box.South), schema.DegreeKey(box.North))
	b = b.in(c.field(schema.FieldLatitude), latitudes)
	var ranges []string
	for _, r := range box.meridians() {
		ranges = append(ranges, between(schema.DegreeKey(r[0]), schema.DegreeKey(r[1])).clause(schema.FieldLongitude))
	}
	c.field(schema.FieldLongitude)
	b.clauses = append(b.clauses, clause{text: "(" + strings.Join(ranges, "|") + ")"})
	return b
}

// text returns the branches of a text. One without exclusions is a single
// clause, since its union is safe everywhere.
func (c *compiler) text(q *words.Query) []branch {
	c.field(schema.FieldWords)
	c.prefixes = c.prefixes || hasPrefix(q)
	var branches []branch
	for _, terms := range q.Clauses(c.param) {
		var b branch
		for _, t := range terms {
			b.clauses = append(b.clauses, clause{text: t.Text, negate: t.Exclude})
		}
		branches = append(branches, b)
	}
	if !safe(q) || len(branches) == 1 {
		return branches
	}
	texts := make([]string, len(branches))
	for i, b := range branches {
		texts[i] = b.query()
	}
	return []branch{{clauses: []clause{{text: "(" + union(texts) + ")"}}}}
}

// negation returns the branch that holds just when a predicate doesn't; none
// when the predicate always holds.
func (c *compiler) negation(p *Predicate) []branch {
	var none branch
	for _, b := range c.predicate(p) {
		n, possible := b.negation()
		if !possible {
			return nil
		}
		none.clauses = append(none.clauses, n)
	}
	return []branch{none}
}

// cross returns the branches that say one of a and one of b.
func (c *compiler) cross(a, b []branch) []branch {
	var out []branch
	for _, x := range a {
		for _, y := range b {
			if both, possible := x.and(y); possible {
				out = append(out, both)
			}
		}
	}
	return out
}
