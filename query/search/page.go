package search

import (
	"fmt"
	"strconv"

	"visualizer/schema"
)

// Limits of the paging arguments.
const (
	DefaultFirst = 10
	MaxFirst     = 100
)

// OrderField is a value that orders a list.
type OrderField string

// OrderCreatedAt orders by createdAt, then id.
const OrderCreatedAt OrderField = "CREATED_AT"

// Order is the order of a list: by the field's value, then by id as a number,
// both in the direction given; tweets without the value come last.
type Order struct {
	Field      OrderField
	Descending bool
}

// Newest is the order when none is given.
var Newest = Order{Field: OrderCreatedAt, Descending: true}

// Request is what a client asked of tweets.
type Request struct {
	Filter *Filter
	Order  Order
	First  *int
	Last   *int
	After  *string
	Before *string
	Want   Want
}

// Want says which parts of the answer are needed; the others cost nothing.
type Want struct{ Tweets, Total, HasNext, HasPrevious bool }

// span is a checked request: n tweets from one end of the open interval
// between two positions. A nil position is the end of the list.
type span struct {
	after, before *position
	n             int
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
	name, count := "first", r.First
	if r.Last != nil {
		name, count, s.fromEnd = "last", r.Last, true
	}
	if count != nil {
		if *count < 0 || *count > MaxFirst {
			return s, inputError(fmt.Sprintf("%d is out of range: give 0 to %d", *count, MaxFirst), name)
		}
		s.n = *count
	}
	var err error
	if s.after, err = cursorArgument(r.After, "after", scope); err != nil {
		return s, err
	}
	s.before, err = cursorArgument(r.Before, "before", scope)
	return s, err
}

func cursorArgument(cursor *string, name, scope string) (*position, error) {
	if cursor == nil {
		return nil, nil
	}
	p, err := decodeCursor(*cursor, name, scope)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// scope names the answer that a cursor belongs to.
func (r *Request) scope() string {
	return string(r.Order.Field) + strconv.FormatBool(r.Order.Descending) + r.Filter.canonical()
}

// Page is an answer. Only what the request wanted is filled.
type Page struct {
	Tweets      []*schema.Tweet // in list order
	Total       int             // of the filter, cursors aside
	HasNext     bool
	HasPrevious bool
	scope       string
}

// Cursor returns the cursor of a tweet of this page.
func (p *Page) Cursor(t *schema.Tweet) string { return encodeCursor(positionOf(t), p.scope) }
