// Package tracing sends spans to a collector, by OTLP over HTTP, when one is
// named. Otherwise there are none, and they cost nothing.
package tracing
