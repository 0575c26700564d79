// Package load gives benchmarks real servers that hold simulated tweets: the
// same ones in every run, at any size.
package load
