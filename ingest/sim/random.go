package sim

import (
	"math/rand/v2"
	"slices"
)

// zipf picks ranks so that rank k comes about 1/(k+flat) as often as others.
// It holds running sums of integer weights: floating point could differ in
// the last bit between machines, and with it the world.
type zipf []uint64

// newZipf returns the distribution of n ranks. A larger flat takes weight from
// the first ranks.
func newZipf(n, flat int) zipf {
	z := make(zipf, n)
	var sum uint64
	for k := range z {
		sum += 1 << 40 / uint64(k+flat)
		z[k] = sum
	}
	return z
}

// pick returns a rank.
func (z zipf) pick(r *rand.Rand) int {
	i, found := slices.BinarySearch(z, r.Uint64N(z[len(z)-1]))
	if found {
		i++ // a sum belongs to the next rank
	}
	return i
}

// pick returns one of list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// heavy returns a number with a heavy tail: at least k with a chance of 1 in
// k+1, below limit.
func heavy(r *rand.Rand, limit int64) int64 {
	return limit/(1+r.Int64N(limit)) - 1
}

// chance is true in a share p of calls.
func (w *World) chance(p float64) bool { return p > 0 && w.rng.Float64() < p }
