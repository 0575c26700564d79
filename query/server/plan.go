package server

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"visualizer/graph"
)

// planHeader asks for extensions.plan, where the setting allows it.
const planHeader = "X-Visualizer-Plan"

type planKey struct{}

// planned notes that a request asks for plans.
func planned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(planHeader) != "" {
			r = r.WithContext(context.WithValue(r.Context(), planKey{}, true))
		}
		next.ServeHTTP(w, r)
	})
}

func asksForPlans(ctx context.Context) bool { return ctx.Value(planKey{}) != nil }

// withPlans answers an operation and shows the plans of its pages.
func withPlans(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	ctx, plans := graph.WithPlans(ctx)
	resp := next(ctx)
	if resp == nil {
		return nil
	}
	if resp.Extensions == nil {
		resp.Extensions = map[string]any{}
	}
	resp.Extensions["plan"] = plans.Pages()
	return resp
}
