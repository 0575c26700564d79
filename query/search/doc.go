// Package search answers questions about the stored tweets: exact pages in a
// total order, exact counts, single tweets, and the status of the line.
//
// What a client gave becomes a value first (Filter, Page), is checked as a
// whole, and only then becomes a query, in one function that passes every
// client string to Redis as a parameter. The same Filter tells with Match
// whether a tweet belongs, which is what the tests compare against.
package search
