// Package sim is a small world of invented people that tweets, and a server
// that delivers it like the sample stream of the X API v2.
//
// World is pure: a seed and the times it is asked for decide every byte, so a
// test can name a stream of any size by two numbers. It makes what real
// streams are made of, good and bad: many scripts, emoji, retweets whose text
// is cut, edits, deletes, tweets delivered again with larger metrics, missing
// includes, and on request damaged lines. What it delivered it can tell as
// schema.Tweet, which lets a test compare a store with the truth instead of
// with the decoder that filled it. All persons, towns, hosts and texts are
// invented.
//
// Server speaks the protocol of GET /2/tweets/sample/stream: one connection,
// bearer token, keep-alives, and no mercy for a reader that stops reading.
package sim
