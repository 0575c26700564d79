package search

import (
	"fmt"
	"math"
	"slices"

	"visualizer/query/words"
	"visualizer/schema"
)

// Predicate is a checked filter in canonical form: values folded, sorted, each
// once. It becomes an expression for Redis, decides about a tweet by itself,
// and names the question that it asks.
type Predicate struct {
	text   *words.Query
	lists  []condition
	since  *schema.Time
	until  *schema.Time
	minima []minimum
	near   *Circle
	within *Box
	any    []*Predicate
	hasAny bool // an empty any is one that nothing fulfils
	not    *Predicate
	size   size
}

// minimum is the least value of a counter.
type minimum struct {
	name  string // as in the API
	field string // its sort key in the index
	least int64
	value func(*schema.Metrics) *int64
}

// NewPredicate checks a filter; nil matches every tweet. Every error is an
// *InputError.
func NewPredicate(f *Filter) (*Predicate, error) {
	if f == nil {
		f = &Filter{}
	}
	c := checker{}
	return c.predicate(f, 0, []any{"filter"})
}

// checker counts filters over the nesting.
type checker struct{ filters int }

func (c *checker) predicate(f *Filter, depth int, path []any) (*Predicate, error) {
	c.filters++
	if c.filters > maxFilters {
		return nil, inputError(fmt.Sprintf("more than %d filters in all: say it with fewer", maxFilters), path...)
	}
	if depth > maxNesting {
		return nil, inputError(fmt.Sprintf("any and not are nested deeper than %d: say it with less nesting", maxNesting), path...)
	}
	p := &Predicate{lists: f.conditions(), since: f.Since, until: f.Until, near: f.Near, within: f.Within, minima: f.minima(), hasAny: f.Any != nil}
	for _, check := range []func([]any) error{f.checkLists, f.checkTime, p.checkMinima, f.Near.check, f.Within.check} {
		if err := check(path); err != nil {
			return nil, err
		}
	}
	if err := p.parse(f.Text, path); err != nil {
		return nil, err
	}
	if err := c.nested(p, f, depth, path); err != nil {
		return nil, err
	}
	if p.size = p.measure(); p.size.cases > maxCases || p.size.values > maxTerms {
		return nil, inputError(fmt.Sprintf("texts with OR and -, and any, multiply to more than %d cases or %d values: say it with fewer", maxCases, maxTerms), path...)
	}
	return p, nil
}

// nested checks the filters within f.
func (c *checker) nested(p *Predicate, f *Filter, depth int, path []any) error {
	for i, sub := range f.Any {
		if sub == nil {
			sub = &Filter{}
		}
		q, err := c.predicate(sub, depth+1, at(path, "any", i))
		if err != nil {
			return err
		}
		p.any = append(p.any, q)
	}
	if f.Not == nil {
		return nil
	}
	var err error
	p.not, err = c.predicate(f.Not, depth+1, at(path, "not"))
	return err
}

// at returns path with more behind it, in memory of its own.
func at(path []any, more ...any) []any { return append(slices.Clone(path), more...) }

func (p *Predicate) parse(text *string, path []any) error {
	if text == nil {
		return nil
	}
	q, err := words.Parse(*text)
	if err != nil {
		return inputError(err.Error(), at(path, "text")...)
	}
	p.text = q
	return nil
}

func (f *Filter) checkLists(path []any) error {
	for _, l := range f.lists() {
		if len(l.values) > maxValues {
			return inputError(fmt.Sprintf("%d values: at most %d are allowed", len(l.values), maxValues), at(path, l.name)...)
		}
	}
	return nil
}

func (f *Filter) checkTime(path []any) error {
	if f.Since != nil && f.Until != nil && *f.Since > *f.Until {
		return inputError(fmt.Sprintf("since %s is after until %s: exchange them", f.Since, f.Until), at(path, "since")...)
	}
	return nil
}

func (p *Predicate) checkMinima(path []any) error {
	for _, m := range p.minima {
		if m.least < 0 {
			return inputError(fmt.Sprintf("%d is negative: a counter is 0 or more", m.least), at(path, m.name)...)
		}
	}
	return nil
}

func (c *Circle) check(path []any) error {
	if c == nil {
		return nil
	}
	path = at(path, "near")
	switch {
	case !inRange(c.Latitude, schema.MaxLatitude):
		return inputError(fmt.Sprintf("%v is out of range: give -%v to %v degrees", c.Latitude, schema.MaxLatitude, schema.MaxLatitude), at(path, "latitude")...)
	case !inRange(c.Longitude, 180):
		return inputError(fmt.Sprintf("%v is out of range: give -180 to 180 degrees", c.Longitude), at(path, "longitude")...)
	case !(c.RadiusKm > 0 && c.RadiusKm <= maxRadiusKm):
		return inputError(fmt.Sprintf("%v is out of range: give more than 0 and at most %d km", c.RadiusKm, maxRadiusKm), at(path, "radiusKm")...)
	}
	return nil
}

func inRange(degrees, limit float64) bool { return math.Abs(degrees) <= limit }

func (b *Box) check(path []any) error {
	if b == nil {
		return nil
	}
	path = at(path, "within")
	for _, side := range []struct {
		name           string
		degrees, limit float64
	}{{"south", b.South, 90}, {"west", b.West, 180}, {"north", b.North, 90}, {"east", b.East, 180}} {
		if !inRange(side.degrees, side.limit) {
			return inputError(fmt.Sprintf("%v is out of range: give -%v to %v degrees", side.degrees, side.limit, side.limit), at(path, side.name)...)
		}
	}
	if b.South > b.North {
		return inputError(fmt.Sprintf("south %v is north of north %v: exchange them", b.South, b.North), at(path, "south")...)
	}
	return nil
}

// minima returns the counters' minima that were given.
func (f *Filter) minima() []minimum {
	var given []minimum
	for _, m := range []struct {
		name, field string
		least       *int64
		value       func(*schema.Metrics) *int64
	}{
		{"minLikes", schema.FieldLikes, f.MinLikes, func(m *schema.Metrics) *int64 { return m.Likes }},
		{"minRetweets", schema.FieldRetweets, f.MinRetweets, func(m *schema.Metrics) *int64 { return m.Retweets }},
		{"minReplies", schema.FieldReplies, f.MinReplies, func(m *schema.Metrics) *int64 { return m.Replies }},
		{"minQuotes", schema.FieldQuotes, f.MinQuotes, func(m *schema.Metrics) *int64 { return m.Quotes }},
		{"minImpressions", schema.FieldImpressions, f.MinImpressions, func(m *schema.Metrics) *int64 { return m.Impressions }},
	} {
		if m.least != nil {
			given = append(given, minimum{m.name, m.field, *m.least, m.value})
		}
	}
	return given
}
