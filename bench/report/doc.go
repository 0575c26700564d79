// Package report says what a benchmark asks and what came out: pairs measured
// in turn, their medians and spread, targets, and the file of results.
package report
