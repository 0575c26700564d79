package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
)

const (
	// keptDocuments is how many valid documents are kept.
	keptDocuments = 1_000
	// maxKept is the length of the largest document that is kept, in bytes. Its
	// parsed form takes some 30 times that.
	maxKept = 4 << 10
)

// documents keeps documents that have been found valid.
type documents struct{ *lru.LRU[*ast.QueryDocument] }

var _ graphql.Cache[*ast.QueryDocument] = documents{}

func newDocuments() documents { return documents{lru.New[*ast.QueryDocument](keptDocuments)} }

// Add keeps a document unless it is large: what clients send again is not.
func (d documents) Add(ctx context.Context, query string, doc *ast.QueryDocument) {
	if len(query) <= maxKept {
		d.LRU.Add(ctx, query, doc)
	}
}
