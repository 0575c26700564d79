// Package e2e tests the whole line from outside: sources go in, GraphQL comes
// out, and real servers are in between.
package e2e
