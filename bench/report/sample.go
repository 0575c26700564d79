package report

import (
	"math"
	"slices"
)

// Sample is what one side of a pair measured, a value a round.
type Sample []float64

// Quantile returns the value that a share q of the values lie at or below, with
// those between two taken in proportion. Of no values it is NaN.
func (s Sample) Quantile(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	place := q * float64(len(sorted)-1)
	low := int(place)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (place-float64(low))*(sorted[high]-sorted[low])
}

// Median returns the middle value.
func (s Sample) Median() float64 { return s.Quantile(0.5) }

// Share returns which share of the values are good. Of no values it is NaN.
func (s Sample) Share(good func(float64) bool) float64 {
	n := 0
	for _, v := range s {
		if good(v) {
			n++
		}
	}
	return float64(n) / float64(len(s))
}
