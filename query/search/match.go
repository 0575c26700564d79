package search

import (
	"slices"

	"visualizer/schema"
)

// Candidate is a tweet that predicates decide about. Its words are found once,
// however many ask.
type Candidate struct {
	tweet *schema.Tweet
	words []string
	read  bool
}

// NewCandidate returns the candidate for a tweet. It is not for several
// goroutines at once until its words are found.
func NewCandidate(t *schema.Tweet) *Candidate { return &Candidate{tweet: t} }

func (c *Candidate) text() []string {
	if !c.read {
		c.words, c.read = schema.Words(c.tweet.SearchText()), true
	}
	return c.words
}

// Match reports whether a tweet belongs to the answer. Logic is two-valued: a
// value that is unknown is in no range.
func (p *Predicate) Match(c *Candidate) bool {
	t := c.tweet
	for i := range p.lists {
		if !p.lists[i].holds(t) {
			return false
		}
	}
	for _, m := range p.minima {
		// Sort keys round enormous counters to a double, and so does this.
		if v := m.value(&t.Metrics); v == nil || float64(*v) < float64(m.least) {
			return false
		}
	}
	return p.matchTime(t) && p.matchPlace(t) && (p.text == nil || p.text.Match(c.text())) && p.matchNested(c)
}

func (p *Predicate) matchTime(t *schema.Tweet) bool {
	if p.since == nil && p.until == nil {
		return true
	}
	return t.CreatedAt != nil && (p.since == nil || *t.CreatedAt >= *p.since) && (p.until == nil || *t.CreatedAt < *p.until)
}

func (p *Predicate) matchPlace(t *schema.Tweet) bool {
	if p.near == nil && p.within == nil {
		return true
	}
	l := t.Location
	return l != nil && (p.near == nil || p.near.contains(*l)) && (p.within == nil || p.within.contains(*l))
}

func (p *Predicate) matchNested(c *Candidate) bool {
	if p.hasAny && !slices.ContainsFunc(p.any, func(q *Predicate) bool { return q.Match(c) }) {
		return false
	}
	return p.not == nil || !p.not.Match(c)
}

func (c *Circle) contains(l schema.Location) bool {
	return l.Distance(schema.Location{Latitude: c.Latitude, Longitude: c.Longitude}) <= c.RadiusKm
}

func (b *Box) contains(l schema.Location) bool {
	key := schema.DegreeKey
	if lat := key(l.Latitude); lat < key(b.South) || lat > key(b.North) {
		return false
	}
	lon := key(l.Longitude)
	return slices.ContainsFunc(b.meridians(), func(r [2]float64) bool { return lon >= key(r[0]) && lon <= key(r[1]) })
}

// meridians returns the ranges of longitude inside the box. The meridian of
// 180° is that of -180°: where one is inside, the other is.
func (b *Box) meridians() [][2]float64 {
	if b.West > b.East {
		return [][2]float64{{b.West, 180}, {-180, b.East}}
	}
	ranges := [][2]float64{{b.West, b.East}}
	switch {
	case b.West == -180 && b.East < 180:
		ranges = append(ranges, [2]float64{180, 180})
	case b.East == 180 && b.West > -180:
		ranges = append(ranges, [2]float64{-180, -180})
	}
	return ranges
}
