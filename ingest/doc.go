// Package ingest is the service that takes tweets from sources to Redis.
//
//	sources --events--> Publisher --batches--> JetStream --> Writer --> Redis
//
// The publisher hands batches to JetStream and waits for its acks; the writer
// stores each batch in transactions and acks a message only once the writes
// are on disk. Whatever is delivered again changes nothing, since identity is
// the tweet's id and every field keeps the rank of the observation it is from.
package ingest
