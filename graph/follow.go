package graph

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"visualizer/query/feed"
	"visualizer/query/search"
	"visualizer/schema"
)

// Following is a subscription to tweets whose answers are made by whoever holds
// it: one for each tweet that it is shown.
type Following struct {
	subscription *feed.Subscription
	show         chan *schema.Tweet
}

type followingKey struct{}

// WithFollowing returns a context for a subscription. The resolver of tweetAdded
// fills in what it follows.
func WithFollowing(ctx context.Context) (context.Context, *Following) {
	f := &Following{}
	return context.WithValue(ctx, followingKey{}, f), f
}

// follow subscribes the operation to the tweets of a filter.
func (r *Resolver) follow(ctx context.Context, filter *search.Filter) (<-chan *schema.Tweet, error) {
	f, _ := ctx.Value(followingKey{}).(*Following)
	if f == nil || r.Feed == nil {
		return nil, failed(feed.ErrUnavailable)
	}
	p, err := search.NewPredicate(filter)
	if err != nil {
		return nil, failed(err)
	}
	if f.subscription, err = r.subscribe(ctx, p); err != nil {
		return nil, failed(err)
	}
	f.show = make(chan *schema.Tweet, 1)
	return f.show, nil
}

// maxBegin is how long a subscription may take to begin. Meanwhile its WebSocket
// takes nothing else, and must not seem dead.
const maxBegin = 2 * time.Second

// subscribe asks the store within the time that an operation has.
func (r *Resolver) subscribe(ctx context.Context, p *search.Predicate) (*feed.Subscription, error) {
	asking, cancel := context.WithTimeout(ctx, min(r.Deadline, maxBegin))
	defer cancel()
	return r.Feed.Subscribe(ctx, asking, p)
}

// Started reports whether tweets are followed. When they are not, the operation
// has an error.
func (f *Following) Started() bool { return f.subscription != nil }

// Next returns the next tweet, or why there is none any more.
func (f *Following) Next(ctx context.Context) (*feed.Item, error) { return f.subscription.Next(ctx) }

// Answer returns the response for a tweet. responses must be those of the
// operation.
func (f *Following) Answer(ctx context.Context, it *feed.Item, responses graphql.ResponseHandler) *graphql.Response {
	f.show <- it.Tweet // has room: each answer takes one
	return responses(context.WithValue(ctx, itemKey{}, it))
}

type itemKey struct{}

// lookup returns how an operation reads tweets by id: for those that follow a
// tweet it is read once what the tweet refers to.
func (r *Resolver) lookup(ctx context.Context) func(context.Context, []string) (map[string]*schema.Tweet, error) {
	if it, _ := ctx.Value(itemKey{}).(*feed.Item); it != nil {
		return it.Lookup
	}
	return r.Store.Lookup
}
