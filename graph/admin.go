package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

type adminKey struct{}

// WithAdmin returns a context whose operations may change what the service does.
func WithAdmin(ctx context.Context) context.Context {
	return context.WithValue(ctx, adminKey{}, true)
}

// GuardMutations refuses mutations in a context that WithAdmin has not made,
// all of them alike, so that none can be forgotten.
func GuardMutations(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	admin, _ := ctx.Value(adminKey{}).(bool)
	if admin || graphql.GetOperationContext(ctx).Operation.Operation != ast.Mutation {
		return next(ctx)
	}
	refusal := &gqlerror.Error{
		Message:    "mutations need the admin token: send it as Authorization: Bearer",
		Extensions: map[string]any{"code": codeNoAdmin},
	}
	if id := RequestID(ctx); id != "" {
		refusal.Extensions["requestId"] = id
	}
	return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{refusal}, Data: []byte("null")})
}
