// Package transport carries operations: over HTTP with one answer, and over
// connections that stay, which are WebSockets (graphql-transport-ws) and
// server-sent events (graphql-sse, distinct connections).
package transport
