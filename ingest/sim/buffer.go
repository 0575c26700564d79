package sim

import (
	"strconv"

	"visualizer/schema"
)

// buffer appends JSON by hand: reflection would cost several times as much as
// making the tweet.
type buffer struct{ b []byte }

// raw appends s as it is: punctuation and keys.
func (o *buffer) raw(s string) { o.b = append(o.b, s...) }

// str appends s as a JSON string.
func (o *buffer) str(s string) { o.b = appendQuoted(o.b, s) }

// text appends s as a JSON string.
func (o *buffer) text(s []byte) { o.b = appendQuoted(o.b, s) }

// int appends a number.
func (o *buffer) int(n int64) { o.b = strconv.AppendInt(o.b, n, 10) }

// id appends a number as a JSON string, which is how ids are delivered.
func (o *buffer) id(n uint64) {
	o.b = append(o.b, '"')
	o.b = appendUint(o.b, n)
	o.b = append(o.b, '"')
}

func appendUint(b []byte, n uint64) []byte { return strconv.AppendUint(b, n, 10) }

// bool appends true or false.
func (o *buffer) bool(v bool) { o.b = strconv.AppendBool(o.b, v) }

// time appends t as a JSON string in the form of the API.
func (o *buffer) time(t schema.Time) {
	o.b = append(o.b, '"')
	o.b = t.Go().AppendFormat(o.b, schema.DateTimeFormat)
	o.b = append(o.b, '"')
}

// degrees appends millionths of a degree as a number of degrees.
func (o *buffer) degrees(micro int64) {
	o.b = strconv.AppendFloat(o.b, degrees(micro), 'f', -1, 64)
}

// degrees is exact to the last bit: both operands are integers, so the one
// division rounds to the same double as the decimal on the wire.
func degrees(micro int64) float64 { return float64(micro) / 1e6 }

const hexDigits = "0123456789abcdef"

// appendQuoted appends s, which is valid UTF-8, as a JSON string.
func appendQuoted[S string | []byte](b []byte, s S) []byte {
	b = append(b, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
