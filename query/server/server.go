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
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/graph"
	"visualizer/query/search"
	"visualizer/query/web"
	"visualizer/schema"
)

// Config is what the edge needs.
type Config struct {
	Store *search.Store
	// Deadline bounds each operation.
	Deadline time.Duration
	Log      *slog.Logger
}

const (
	// maxBody is the largest request; GraphiQL's introspection takes 2 kB.
	maxBody = 32 << 10
	// maxTokens bounds what is parsed of a document.
	maxTokens = 4_000
	// parsedQueries is how many parsed documents are kept.
	parsedQueries = 1_000
)

// Paths of the edge.
const (
	PathGraphQL  = "/graphql"
	PathGraphiQL = "/graphiql"
	pathSDL      = "/schema.graphql"
)

// New returns the edge.
func New(cfg Config) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(PathGraphQL, http.MaxBytesHandler(newGraphQL(cfg), maxBody))
	graphiql := web.GraphiQL(PathGraphQL)
	mux.Handle(PathGraphiQL, graphiql)
	mux.Handle(PathGraphiQL+"/", graphiql)
	mux.HandleFunc("GET "+pathSDL, serveSDL)
	mux.Handle("GET /{$}", http.RedirectHandler(PathGraphiQL, http.StatusFound))
	return identify(http.NewCrossOriginProtection().Handler(mux))
}

func serveSDL(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(schema.SDL))
}

// newGraphQL returns the handler of operations. Its transports are named one
// by one, since each is a way in.
func newGraphQL(cfg Config) http.Handler {
	h := handler.New(graph.NewExecutableSchema(graph.Config{Resolvers: &graph.Resolver{Store: cfg.Store}}))
	h.AddTransport(transport.POST{})
	h.AddTransport(transport.GET{})
	h.SetParserTokenLimit(maxTokens)
	h.SetQueryCache(lru.New[*ast.QueryDocument](parsedQueries))
	h.Use(extension.Introspection{})
	h.SetErrorPresenter(graph.PresentError(cfg.Log))
	h.SetRecoverFunc(graph.RecoverPanic)
	h.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		ctx, cancel := context.WithTimeout(ctx, cfg.Deadline)
		defer cancel()
		return next(ctx)
	})
	return h
}

// identify gives each request an id, for the log and the client alike.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(graph.WithRequestID(r.Context(), id)))
	})
}
