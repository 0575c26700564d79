package encode

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/query/search"
	"visualizer/schema"
)

// Referenced returns a tweet that was read because a page refers to it, nil when
// it is not stored; read is false when nobody looked.
type Referenced func(id string) (t *schema.Tweet, read bool)

// Page returns a page as the TweetConnection of which selected is selected. It
// returns false when that takes more than most bytes, and when it needs what is
// not at hand: a field that only the generated code knows, or a referenced tweet
// that was not read.
func Page(operation *graphql.OperationContext, selected ast.SelectionSet, page *search.Page, referenced Referenced, most int) ([]byte, bool) {
	e := &encoder{operation: operation, referenced: referenced, most: most}
	connection := object(e, selected, e.connection, "TweetConnection")
	if connection == nil {
		return nil, false
	}
	b := connection(make([]byte, 0, tweetSize*(1+len(page.Tweets))), page)
	return b, !e.unread && len(b) <= most
}

// tweetSize is about how many bytes a tweet takes.
const tweetSize = 768

// encoder makes the writers of one answer.
type encoder struct {
	operation  *graphql.OperationContext
	referenced Referenced
	most       int  // bytes; what is longer is not finished
	unread     bool // a referenced tweet that is needed was not read
}

func (e *encoder) connection(f graphql.CollectedField) write[search.Page] {
	switch f.Name {
	case "edges":
		return e.edges(f.Selections)
	case "nodes":
		return e.nodes(f.Selections)
	case "pageInfo":
		return object(e, f.Selections, pageInfo, "PageInfo")
	case "totalCount":
		return func(b []byte, p *search.Page) []byte { n := int64(p.Total); return long(b, &n) }
	}
	return nil
}

func (e *encoder) nodes(selected ast.SelectionSet) write[search.Page] {
	tweet := e.tweet(selected)
	if tweet == nil {
		return nil
	}
	return func(b []byte, p *search.Page) []byte {
		b = append(b, '[')
		for i, t := range p.Tweets {
			b = tweet(comma(b, i), t)
		}
		return append(b, ']')
	}
}

// edge is a tweet of a page.
type edge struct {
	page  *search.Page
	tweet *schema.Tweet
}

func (e *encoder) edges(selected ast.SelectionSet) write[search.Page] {
	of := object(e, selected, e.edge, "TweetEdge")
	if of == nil {
		return nil
	}
	return func(b []byte, p *search.Page) []byte {
		b = append(b, '[')
		at := edge{page: p}
		for i, t := range p.Tweets {
			at.tweet = t
			b = of(comma(b, i), &at)
		}
		return append(b, ']')
	}
}

func (e *encoder) edge(f graphql.CollectedField) write[edge] {
	switch f.Name {
	case "cursor":
		return func(b []byte, at *edge) []byte { return text(b, at.page.Cursor(at.tweet)) }
	case "node":
		return one(e.tweet(f.Selections), func(at *edge) *schema.Tweet { return at.tweet })
	}
	return nil
}

func pageInfo(f graphql.CollectedField) write[search.Page] {
	switch f.Name {
	case "hasNextPage":
		return func(b []byte, p *search.Page) []byte { return boolean(b, &p.HasNext) }
	case "hasPreviousPage":
		return func(b []byte, p *search.Page) []byte { return boolean(b, &p.HasPrevious) }
	case "startCursor":
		return func(b []byte, p *search.Page) []byte { return cursor(b, p, 0) }
	case "endCursor":
		return func(b []byte, p *search.Page) []byte { return cursor(b, p, len(p.Tweets)-1) }
	}
	return nil
}

// cursor writes the cursor of the i-th tweet, null when there is none.
func cursor(b []byte, p *search.Page, i int) []byte {
	if i < 0 || i >= len(p.Tweets) {
		return null(b)
	}
	return text(b, p.Cursor(p.Tweets[i]))
}
