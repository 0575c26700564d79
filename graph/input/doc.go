// Package input reads the values that clients give, as literals and as
// variables, by the rules of the GraphQL specification: a string is no number,
// a number is no string, an Int has 32 bits and a Long 64. What is wrong is
// told in words of GraphQL, with the path to it.
package input
