// Package encode writes pages of tweets as JSON, with what an operation selects
// of them. The generated code makes an object, a context and a closure of every
// field before it writes one; here a selection is turned into writers once, and
// they append each tweet to one buffer. What comes out is the same.
package encode
