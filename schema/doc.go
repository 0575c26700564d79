// Package schema holds every contract that crosses a process boundary: the
// Tweet, the events on the stream, the names of keys, subjects and the index,
// and the GraphQL schema beside it. It is pure: no file, socket or clock.
//
// A tweet travels as schema.Event through JetStream, is kept as
// schema.Document in RedisJSON, and is shown as schema.Tweet by GraphQL: one
// struct all the way, so there is no mapping between layers.
package schema
