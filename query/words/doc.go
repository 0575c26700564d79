// Package words is the search text of a query: what a person typed as a value,
// the test whether a tweet's words match it, and the clauses by which RediSearch
// finds the same tweets. It is pure.
package words
