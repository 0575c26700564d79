package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/query/search"
	"visualizer/schema"
)

// Node is any object with an id.
type Node interface{ IsNode() }

// TweetOrder is the GraphQL input of that name.
type TweetOrder struct {
	Field     TweetOrderField
	Direction OrderDirection
}

// order returns o as the store understands it; nil is the default.
func (o *TweetOrder) order() search.Order {
	if o == nil {
		return search.Newest
	}
	return search.Order{Field: search.OrderField(o.Field), Descending: o.Direction == OrderDirectionDesc}
}

// TweetConnection shows a page as the Relay specification has it.
type TweetConnection struct{ page *search.Page }

// Edges are the tweets with their cursors.
func (c *TweetConnection) Edges() []*TweetEdge {
	edges := make([]*TweetEdge, len(c.page.Tweets))
	for i, t := range c.page.Tweets {
		edges[i] = &TweetEdge{Node: t, page: c.page}
	}
	return edges
}

// Nodes are the tweets.
func (c *TweetConnection) Nodes() []*schema.Tweet { return c.page.Tweets }

// TotalCount is how many tweets match.
func (c *TweetConnection) TotalCount() int { return c.page.Total }

// PageInfo is where the page lies.
func (c *TweetConnection) PageInfo() *PageInfo { return &PageInfo{page: c.page} }

// TweetEdge is a tweet of a page.
type TweetEdge struct {
	Node *schema.Tweet
	page *search.Page
}

// Cursor is the tweet's place.
func (e *TweetEdge) Cursor() string { return e.page.Cursor(e.Node) }

// PageInfo is where a page lies in its list.
type PageInfo struct{ page *search.Page }

// HasNextPage reports whether there is more behind the page.
func (p *PageInfo) HasNextPage() bool { return p.page.HasNext }

// HasPreviousPage reports whether there is more ahead of it.
func (p *PageInfo) HasPreviousPage() bool { return p.page.HasPrevious }

// StartCursor is the first tweet's cursor, if there is one.
func (p *PageInfo) StartCursor() *string { return p.cursor(0) }

// EndCursor is the last tweet's cursor, if there is one.
func (p *PageInfo) EndCursor() *string { return p.cursor(len(p.page.Tweets) - 1) }

func (p *PageInfo) cursor(i int) *string {
	if i < 0 || i >= len(p.page.Tweets) {
		return nil
	}
	c := p.page.Cursor(p.page.Tweets[i])
	return &c
}

// wanted returns which parts of the connection the operation selects.
func wanted(ctx context.Context) search.Want {
	var want search.Want
	operation := graphql.GetOperationContext(ctx)
	for _, f := range graphql.CollectFieldsCtx(ctx, nil) {
		switch f.Name {
		case "edges", "nodes":
			want.Tweets |= tweetParts(operation, tweetSelection(ctx))
		case "totalCount":
			want.Total = true
		case "pageInfo":
			for _, info := range graphql.CollectFields(operation, f.Selections, nil) {
				want.HasNext = want.HasNext || info.Name == "hasNextPage"
				want.HasPrevious = want.HasPrevious || info.Name == "hasPreviousPage"
				if info.Name == "startCursor" || info.Name == "endCursor" {
					want.Tweets |= tweetParts(operation, nil)
				}
			}
		}
	}
	return want
}

// tweetParts returns which fields of tweets a selection shows: those of the same
// names. Every tweet has its id.
func tweetParts(operation *graphql.OperationContext, selected ast.SelectionSet) schema.Parts {
	parts := schema.PartsOf("id")
	for _, f := range graphql.CollectFields(operation, selected, []string{"Tweet", "Node"}) {
		if f.Name != "__typename" {
			parts |= schema.PartsOf(f.Name)
		}
	}
	return parts
}
