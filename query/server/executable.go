package server

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/graph"
	"visualizer/schema"
)

// newExecutable returns the schema that is served, without @defer: what it
// defers would come in further parts of an answer, and there are none.
func newExecutable(cfg Config) graphql.ExecutableSchema {
	served := gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: schema.SDL})
	delete(served.Directives, "defer")
	return graph.NewExecutableSchema(graph.Config{Schema: served, Resolvers: &graph.Resolver{Store: cfg.Store, Stream: cfg.Stream, Feed: cfg.Feed, Deadline: cfg.Deadline}})
}
