package search

import (
	"encoding/binary"
	"math"
)

// vectorBytes returns a vector as a query takes it: little-endian doubles.
func vectorBytes(v [3]float64) string {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return string(b)
}
