package schema

import (
	"strconv"
	"strings"
)

// maxIDDigits is the longest id of the X API: ^[0-9]{1,19}$.
const maxIDDigits = 19

// ValidID reports whether s can be the id of a tweet or user: 1 to 19 decimal
// digits that fit 64 bits, without sign or leading zero, and not 0.
func ValidID(s string) bool {
	_, ok := ParseID(s)
	return ok
}

// ParseID returns the number an id stands for, for ordering only.
func ParseID(s string) (uint64, bool) {
	if len(s) == 0 || len(s) > maxIDDigits || s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

// CompareID orders two valid ids by number: a shorter one is smaller.
func CompareID(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

const (
	snowflakeEpoch = 1288834974657 // Unix ms of the first snowflake, November 2010
	snowflakeShift = 22            // bits below the time: datacenter, worker, sequence
	// minSnowflakeDigits separates snowflakes from the counters used before:
	// a shorter id says nothing about time.
	minSnowflakeDigits = 12
)

// SnowflakeTime returns the moment an id was made, when it is a snowflake.
func SnowflakeTime(id string) (Time, bool) {
	n, ok := ParseID(id)
	if !ok || len(id) < minSnowflakeDigits {
		return 0, false
	}
	return Time(n>>snowflakeShift) + snowflakeEpoch, true
}

// Snowflake returns the id of the n-th tweet (n < 2^22) of a millisecond.
func Snowflake(at Time, n uint32) string {
	return strconv.FormatUint(uint64(at-snowflakeEpoch)<<snowflakeShift|uint64(n), 10)
}
