package search

import (
	"cmp"
	"strconv"

	"visualizer/schema"
)

// OrderField is a value that orders a list.
type OrderField string

// The values to order by.
const (
	OrderCreatedAt   OrderField = "CREATED_AT"
	OrderLikes       OrderField = "LIKES"
	OrderRetweets    OrderField = "RETWEETS"
	OrderReplies     OrderField = "REPLIES"
	OrderQuotes      OrderField = "QUOTES"
	OrderImpressions OrderField = "IMPRESSIONS"
	OrderUsername    OrderField = "USERNAME"
)

// Order is the order of a list: by the field's value, then by id as a number,
// both in the direction given; tweets without the value come last.
type Order struct {
	Field      OrderField
	Descending bool
}

// Newest is the order when none is given.
var Newest = Order{Field: OrderCreatedAt, Descending: true}

// field returns the index field of the order's sort key.
func (o Order) field() string {
	switch o.Field {
	case OrderLikes:
		return schema.FieldLikes
	case OrderRetweets:
		return schema.FieldRetweets
	case OrderReplies:
		return schema.FieldReplies
	case OrderQuotes:
		return schema.FieldQuotes
	case OrderImpressions:
		return schema.FieldImpressions
	case OrderUsername:
		return schema.FieldName
	}
	return schema.FieldCreatedAt
}

// fields returns the index fields that a list in this order needs.
func (o Order) fields() []string {
	return append(segment{order: o}.sortBy(), schema.FieldNulls)
}

// parts are the fields of a tweet that tell its position.
func (o Order) parts() schema.Parts {
	switch o.Field {
	case OrderCreatedAt:
		return schema.PartsOf("id", "createdAt")
	case OrderUsername:
		return schema.PartsOf("id", "author")
	}
	return schema.PartsOf("id", "metrics")
}

// value is what a tweet is ordered by: a name for USERNAME, else a number.
type value struct {
	number int64
	name   string
}

// valueOf returns a tweet's value, nil when it is unknown.
func (o Order) valueOf(t *schema.Tweet) *value {
	if o.Field == OrderUsername {
		if name := t.FoldedUsername(); name != "" {
			return &value{name: name}
		}
		return nil
	}
	var n *int64
	switch o.Field {
	case OrderLikes:
		n = t.Metrics.Likes
	case OrderRetweets:
		n = t.Metrics.Retweets
	case OrderReplies:
		n = t.Metrics.Replies
	case OrderQuotes:
		n = t.Metrics.Quotes
	case OrderImpressions:
		n = t.Metrics.Impressions
	default:
		n = (*int64)(t.CreatedAt)
	}
	if n == nil {
		return nil
	}
	return &value{number: *n}
}

// position is a place in a total order. It need not be that of a stored tweet.
type position struct {
	value *value // nil: among those without
	id    uint64
	// place and rest are how the index orders the value and a part of the id.
	place place
	rest  string
}

// at returns the position of a value and id.
func (o Order) at(v *value, id uint64) position {
	p := position{value: v, id: id}
	switch {
	case v == nil:
	case o.Field == OrderUsername:
		p.place[0], p.place[1], p.rest = schema.UsernameKeys(v.name, id)
	case o.Field == OrderCreatedAt:
		p.place[0] = int64(*schema.NewMoment((*schema.Time)(&v.number), strconv.FormatUint(id, 10)))
	default:
		p.place[0] = schema.CounterKey(v.number, id)
	}
	return p
}

// canHave reports whether a tweet can have a value: what ingest stores is
// within these bounds.
func (o Order) canHave(v value) bool {
	switch o.Field {
	case OrderUsername:
		return v.number == 0 && v.name != ""
	case OrderCreatedAt:
		return v.name == "" && v.number >= int64(schema.MinTime) && v.number <= int64(schema.MaxTime)
	}
	return v.name == "" && v.number >= 0
}

func (o Order) positionOf(t *schema.Tweet) position {
	id, _ := schema.ParseID(t.ID)
	return o.at(o.valueOf(t), id)
}

// compare is negative when p stands before q in the list.
func (o Order) compare(p, q position) int {
	switch {
	case p.value == nil && q.value != nil:
		return 1
	case p.value != nil && q.value == nil:
		return -1
	}
	c := cmp.Or(p.place.compare(q.place), cmp.Compare(p.rest, q.rest), cmp.Compare(p.id, q.id))
	if o.Descending {
		return -c
	}
	return c
}
