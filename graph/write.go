package graph

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"visualizer/graph/encode"
)

// WriteConnections returns a field middleware: it answers with connections of
// tweets that are written already. Without it, and where it can't, the generated
// code writes them, to the same JSON. What takes more than most bytes is left to
// the generated code too, which is stopped on the way.
func WriteConnections(most int) graphql.FieldMiddleware {
	return func(ctx context.Context, next graphql.Resolver) (any, error) {
		resolved, err := next(ctx)
		c, _ := resolved.(*TweetConnection)
		refs, _ := ctx.Value(referencesKey{}).(*references)
		if c == nil || err != nil || refs == nil {
			return resolved, err
		}
		b, ok := encode.Page(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, c.page, refs.get, most)
		if !ok {
			return c, nil
		}
		return written(b), nil
	}
}

// written is a value as JSON.
type written []byte

// MarshalGQL writes the value.
func (v written) MarshalGQL(w io.Writer) { w.Write(v) }

// Len is how many bytes of an answer the value takes.
func (v written) Len() int { return len(v) }
