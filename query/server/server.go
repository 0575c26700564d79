// Package server is the HTTP edge of the query service.
package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"visualizer/graph"
	"visualizer/graph/input"
	"visualizer/internal/access"
	"visualizer/internal/line"
	"visualizer/query/cache"
	"visualizer/query/feed"
	"visualizer/query/limits"
	"visualizer/query/search"
	"visualizer/query/transport"
	"visualizer/query/web"
	"visualizer/schema"
)

// Config is what the edge needs.
type Config struct {
	Store  *search.Store
	Stream *line.Stream
	// Feed tells of new tweets; nil: nobody does.
	Feed  *feed.Feed
	Admin Admin
	// Deadline bounds each operation.
	Deadline time.Duration
	// ShowPlans lets a request with planHeader see what was done for its pages.
	ShowPlans bool
	Access    access.Config
	Log       *slog.Logger
}

// Paths of the edge.
const (
	PathGraphQL  = "/graphql"
	PathGraphiQL = "/graphiql"
	pathSDL      = "/schema.graphql"
)

// Edge is the service as clients see it.
type Edge struct {
	http.Handler
	live      *transport.Live
	responses *responses
}

// Close ends the connections that stay, and waits until they have ended.
func (e *Edge) Close() { e.live.Close() }

// Cache returns the counts of the cache of responses.
func (e *Edge) Cache() *cache.Stats { return e.responses.cache.Stats() }

// New returns the edge.
func New(cfg Config) *Edge { return edgeOf(cfg, newExecutable(cfg)) }

func edgeOf(cfg Config, served graphql.ExecutableSchema) *Edge {
	slots, rate := transport.NewSlots(maxOperations), newRateLimit(cfg.Access)
	live := newLive(slots, rate, cfg.Admin)
	mux := http.NewServeMux()
	cached := newResponses(cfg, limitConcurrency(slots, cfg.Admin.guard(newGraphQL(cfg, served, live))))
	var operations http.Handler = cached
	if cfg.ShowPlans {
		operations = planned(operations)
	}
	mux.Handle(PathGraphQL, compress(limitRate(rate, limitSize(operations))))
	graphiql := web.GraphiQL(PathGraphQL)
	mux.Handle(PathGraphiQL, graphiql)
	mux.Handle(PathGraphiQL+"/", graphiql)
	mux.HandleFunc("GET "+pathSDL, serveSDL)
	mux.Handle("GET /{$}", http.RedirectHandler(PathGraphiQL, http.StatusFound))
	return &Edge{identify(guard(cfg.Access, mux)), live, cached}
}

func serveSDL(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(schema.SDL))
}

// newGraphQL returns the handler of operations. Its transports are named one
// by one, since each is a way in.
func newGraphQL(cfg Config, served graphql.ExecutableSchema, live *transport.Live) http.Handler {
	h := handler.New(served)
	h.AddTransport(transport.Socket{Live: live})
	h.AddTransport(transport.Stream{Live: live})
	h.AddTransport(transport.HTTP{})
	valid := newDocuments()
	h.SetQueryCache(valid)
	h.SetParserTokenLimit(limits.MaxTokens)
	h.Use(extension.Introspection{})
	h.SetErrorPresenter(graph.PresentError(cfg.Log))
	h.SetRecoverFunc(graph.RecoverPanic)
	h.AroundOperations(graph.GuardMutations)
	h.AroundOperations(newFollowing(cfg).around)
	withDeadline(h, cfg.Deadline, served.Schema().Subscription != nil)
	h.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		if asksForPlans(ctx) {
			return withPlans(graph.WithReferences(ctx), next)
		}
		n := noteBefore(ctx)
		ctx, ages := graph.WithAges(ctx, n.of())
		resp := next(graph.WithReferences(ctx))
		n.noteAfter(resp, ages)
		return resp
	})
	h.Use(limits.New(valid))
	h.AroundFields(graph.WriteConnections(limits.MaxAnswer)) // behind the limits, which count what it writes
	h.Use(input.NewCoercion(valid))
	h.SetValidationRulesFn(func() *rules.Rules {
		all := rules.NewDefaultRules()
		all.AddRule(input.LongRule.Name, input.LongRule.RuleFunc)
		return all
	})
	return h
}

// identify gives each request an id, for the log and the client alike.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r.WithContext(graph.WithRequestID(r.Context(), id)))
	})
}
