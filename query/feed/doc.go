// Package feed tells subscribers of tweets when they are stored.
//
// One reader follows what ingest says it has stored. However many subscribers
// there are, each tweet is read once and decided about once for each distinct
// filter; then it waits in the queue of each subscriber, which is bounded. Who
// is too slow for its queue is dropped, and nobody waits for anybody.
package feed
