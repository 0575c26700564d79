package graph

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/query/search"
	"visualizer/schema"
)

// references are the tweets that an operation's tweets refer to, read before
// they are resolved one by one.
type references struct {
	mu   sync.Mutex
	read map[string]*schema.Tweet // nil: not stored
}

type referencesKey struct{}

// WithReferences returns a context in which the references of a page are read
// together. It is for one operation.
func WithReferences(ctx context.Context) context.Context {
	return context.WithValue(ctx, referencesKey{}, &references{read: map[string]*schema.Tweet{}})
}

// get returns a tweet that was read; false when it wasn't.
func (r *references) get(id string) (*schema.Tweet, bool) {
	if r == nil {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.read[id]
	return t, ok
}

// missing returns the ids of the references of tweets that were not read yet.
func (r *references) missing(tweets []*schema.Tweet) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	seen := map[string]bool{}
	for _, t := range tweets {
		for _, ref := range t.References {
			if _, known := r.read[ref.ID]; !known && !seen[ref.ID] {
				seen[ref.ID] = true
				ids = append(ids, ref.ID)
			}
		}
	}
	return ids
}

func (r *references) add(ids []string, found map[string]*schema.Tweet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		r.read[id] = found[id]
	}
}

// prefetch reads what tweets refer to as deep as the selection asks, in one
// trip to Redis for each level.
func prefetch(ctx context.Context, store *search.Store, tweets []*schema.Tweet, selected ast.SelectionSet) error {
	refs, _ := ctx.Value(referencesKey{}).(*references)
	if refs == nil {
		return nil
	}
	operation := graphql.GetOperationContext(ctx)
	for selected = referenced(operation, selected); selected != nil; selected = referenced(operation, selected) {
		if ids := refs.missing(tweets); len(ids) > 0 {
			found, err := store.Lookup(ctx, ids)
			if err != nil {
				return err
			}
			refs.add(ids, found)
		}
		tweets = refs.next(tweets)
	}
	return nil
}

// next returns the tweets that tweets refer to.
func (r *references) next(tweets []*schema.Tweet) []*schema.Tweet {
	var next []*schema.Tweet
	seen := map[string]bool{}
	for _, t := range tweets {
		for _, ref := range t.References {
			if to, _ := r.get(ref.ID); to != nil && !seen[to.ID] {
				seen[to.ID] = true
				next = append(next, to)
			}
		}
	}
	return next
}

// referenced returns what is selected of the tweets that a selection of tweets
// refers to, nil when nothing is.
func referenced(operation *graphql.OperationContext, tweet ast.SelectionSet) ast.SelectionSet {
	return below(operation, below(operation, tweet, "Tweet", "references"), "Reference", "tweet")
}

// below returns what is selected of fields of an object, under whatever
// alias.
func below(operation *graphql.OperationContext, selected ast.SelectionSet, object string, fields ...string) ast.SelectionSet {
	var out ast.SelectionSet
	for _, f := range graphql.CollectFields(operation, selected, []string{object, "Node"}) {
		for _, name := range fields {
			if f.Name == name {
				out = append(out, f.Selections...)
			}
		}
	}
	return out
}

// tweetSelection returns what is selected of the tweets of a connection.
func tweetSelection(ctx context.Context) ast.SelectionSet {
	operation := graphql.GetOperationContext(ctx)
	connection := graphql.GetFieldContext(ctx).Field.Selections
	edges := below(operation, connection, "TweetConnection", "edges")
	return append(below(operation, connection, "TweetConnection", "nodes"), below(operation, edges, "TweetEdge", "node")...)
}
