// Package query is the service that answers GraphQL from the stored tweets.
package query
