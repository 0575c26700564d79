// Package source reads tweets: from files and standard input, whatever
// container and format they are in, and from the X sample stream. Each source
// is an iterator of schema.Event.
//
// Bytes become events in three steps, each of which knows nothing of the
// others: containers are unpacked (unpack.go), JSON values are cut out of
// it with bounded memory (record.go), and each value is turned into events
// (decode.go, which is pure). Damage stays where it is: a record that can't be
// a tweet is a *Rejected with its file and line, and reading goes on.
package source
