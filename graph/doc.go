// Package graph is the GraphQL API: the code that gqlgen generates from
// schema/*.graphqls, thin resolvers over search.Store, and the rules for what
// an error tells a client.
package graph

//go:generate go tool gqlgen generate
