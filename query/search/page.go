package search

import (
	"fmt"
	"strconv"
	"time"

	"visualizer/schema"
)

// Limits of the paging arguments.
const (
	DefaultFirst = 10
	MaxFirst     = 100
	MaxOffset    = 10_000
)

// Request is what a client asked of tweets.
type Request struct {
	Filter *Filter
	Order  Order
	First  *int
	Last   *int
	After  *string
	Before *string
	Offset *int
	Want   Want
	// Epoch is that of the store, when the caller has read it; "" has it read.
	Epoch string
}

// Want says which parts of the answer are needed; the others cost nothing.
type Want struct {
	// Tweets are the fields of the page's tweets, 0 where these aren't needed.
	// The others may be absent from them.
	Tweets                      schema.Parts
	Total, HasNext, HasPrevious bool
}

// span is a checked request: n tweets from one end of the open interval
// between two positions, behind the first skip. A nil position is the end of the list.
type span struct {
	after, before *position
	skip, n       int
	fromEnd       bool // the last n instead of the first n
}

// span checks the paging arguments; every error is an *InputError.
func (r *Request) span(scope string) (span, error) {
	var s span
	switch {
	case r.First != nil && r.Last != nil:
		return s, inputError("first and last exclude each other: give one", "last")
	case r.After != nil && r.Before != nil:
		return s, inputError("after and before exclude each other: give one", "before")
	}
	s.n = DefaultFirst
	s.fromEnd = r.Last != nil
	for _, number := range []struct {
		name  string
		given *int
		limit int
		to    *int
	}{{"first", r.First, MaxFirst, &s.n}, {"last", r.Last, MaxFirst, &s.n}, {"offset", r.Offset, MaxOffset, &s.skip}} {
		if err := take(number.given, number.name, number.limit, number.to); err != nil {
			return s, err
		}
	}
	if r.Offset != nil && (r.Last != nil || r.After != nil || r.Before != nil) {
		return s, inputError("offset goes with first only: leave out last, after and before, or offset", "offset")
	}
	var err error
	if s.after, err = r.position(r.After, "after", scope); err != nil {
		return s, err
	}
	s.before, err = r.position(r.Before, "before", scope)
	return s, err
}

// take sets a number that was given.
func take(given *int, name string, limit int, to *int) error {
	if given == nil {
		return nil
	}
	if *given < 0 || *given > limit {
		return inputError(fmt.Sprintf("%d is out of range: give 0 to %d", *given, limit), name)
	}
	*to = *given
	return nil
}

func (r *Request) position(cursor *string, name, scope string) (*position, error) {
	if cursor == nil {
		return nil, nil
	}
	p, err := decodeCursor(*cursor, name, scope, r.Order)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// scope names the answer that a cursor belongs to.
func (o Order) scope(p *Predicate) string {
	return string(o.Field) + strconv.FormatBool(o.Descending) + p.Canonical()
}

// Page is an answer. Only what the request wanted is filled, and of the tweets
// what orders them.
type Page struct {
	Tweets      []*schema.Tweet // in list order
	Total       int             // of the filter, cursors aside
	HasNext     bool
	HasPrevious bool
	Plan        *Plan // what was done for it
	// Asked is when the first part of it was asked for.
	Asked time.Time
	// Epoch is that of the store before it was asked for; "" when nothing is
	// cached.
	Epoch string
	order Order
	scope string
}

// Cursor returns the cursor of a tweet of this page.
func (p *Page) Cursor(t *schema.Tweet) string { return encodeCursor(p.order.positionOf(t), p.scope) }
