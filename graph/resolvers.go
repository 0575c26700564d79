package graph

// THIS CODE WILL BE UPDATED WITH SCHEMA CHANGES. PREVIOUS IMPLEMENTATION FOR SCHEMA CHANGES WILL BE KEPT IN THE COMMENT SECTION. IMPLEMENTATION FOR UNCHANGED SCHEMA WILL BE KEPT.

import (
	"context"
	"visualizer/query/search"
	"visualizer/schema"
)

// Tweets is the resolver for the tweets field.
func (r *queryResolver) Tweets(ctx context.Context, filter *search.Filter, orderBy *TweetOrder, first *int, after *string, last *int, before *string) (*TweetConnection, error) {
	page, err := r.Store.Tweets(ctx, search.Request{
		Filter: filter, Order: orderBy.order(),
		First: first, After: after, Last: last, Before: before,
		Want: wanted(ctx),
	})
	if err != nil {
		return nil, failed(err)
	}
	return &TweetConnection{page}, nil
}

// Tweet is the resolver for the tweet field.
func (r *queryResolver) Tweet(ctx context.Context, id string) (*schema.Tweet, error) {
	t, err := r.Store.Tweet(ctx, id)
	return t, failed(err)
}

// Node is the resolver for the node field.
func (r *queryResolver) Node(ctx context.Context, id string) (Node, error) {
	t, err := r.Store.Tweet(ctx, id)
	if t == nil || err != nil {
		return nil, failed(err) // not t: a nil *Tweet is no nil Node
	}
	return t, nil
}

// Stream is the resolver for the stream field.
func (r *queryResolver) Stream(ctx context.Context) (*schema.Status, error) {
	s, err := r.Store.Status(ctx)
	return s, failed(err)
}

// Tweet is the resolver for the tweet field.
func (r *referenceResolver) Tweet(ctx context.Context, obj *schema.Reference) (*schema.Tweet, error) {
	t, err := r.Store.Tweet(ctx, obj.ID)
	return t, failed(err)
}

// Query returns QueryResolver implementation.
func (r *Resolver) Query() QueryResolver { return &queryResolver{r} }

// Reference returns ReferenceResolver implementation.
func (r *Resolver) Reference() ReferenceResolver { return &referenceResolver{r} }

type (
	queryResolver     struct{ *Resolver }
	referenceResolver struct{ *Resolver }
)
