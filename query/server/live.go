package server

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/query/transport"
)

// newLive returns the connections that stay. A WebSocket is gone within 10 s
// when its client doesn't read.
func newLive(slots transport.Slots, rate rateLimit, admin Admin) *transport.Live {
	limits := transport.LiveLimits{
		Connections: 2_000, Operations: 32, Message: maxBody,
		Init: 3 * time.Second, Ping: 5 * time.Second, Pong: 4 * time.Second, Write: 5 * time.Second, KeepAlive: 12 * time.Second,
		Slots: slots, Admit: admin.admitSocket,
	}
	if rate != nil {
		limits.Allow = func(r *http.Request) bool {
			_, ok := rate(r)
			return ok
		}
	}
	return transport.NewLive(limits)
}

// withDeadline bounds each answer, and of a subscription each field that is
// read for an answer, but not the wait for one.
func withDeadline(h *handler.Server, d time.Duration, subscriptions bool) {
	h.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		if subscribed(ctx) {
			return next(ctx)
		}
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return next(ctx)
	})
	if !subscriptions {
		return
	}
	h.AroundFields(func(ctx context.Context, next graphql.Resolver) (any, error) {
		field := graphql.GetFieldContext(ctx)
		if !field.IsResolver || field.Object == "Subscription" || !subscribed(ctx) {
			return next(ctx)
		}
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return next(ctx)
	})
}

func subscribed(ctx context.Context) bool {
	if !graphql.HasOperationContext(ctx) {
		return false
	}
	operation := graphql.GetOperationContext(ctx).Operation
	return operation != nil && operation.Operation == ast.Subscription
}
