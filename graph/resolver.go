package graph

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"visualizer/internal/line"
	"visualizer/query/feed"
	"visualizer/query/search"
	"visualizer/schema"
)

// Resolver answers the root fields: those that read from a store, mutations by
// changing the stream.
type Resolver struct {
	Store  *search.Store
	Stream *line.Stream
	Feed   *feed.Feed
	// Deadline bounds what a subscription asks when it begins.
	Deadline time.Duration
}

// one returns a tweet by id with what it refers to.
func (r *Resolver) one(ctx context.Context, id string) (*schema.Tweet, error) {
	t, err := r.Store.Tweet(ctx, id)
	if err == nil && t != nil {
		err = prefetch(ctx, r.Store, []*schema.Tweet{t}, graphql.GetFieldContext(ctx).Field.Selections)
	}
	if err != nil {
		return nil, failed(err)
	}
	return t, nil
}
