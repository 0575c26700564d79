package schema

import (
	"encoding/hex"
	"math"
	"math/bits"
)

// A sort key is a number by which RediSearch orders a list and cuts windows
// out of it: whole, exact in a double, and never smaller for what stands later
// in the order (value, id). Where it can't hold the value and the id in full,
// equal keys are settled by what was left out.
const (
	keyBits = 53
	// lengthBits hold how many binary digits a counter has.
	lengthBits = 6
	// plainCounter is the first counter that is its own key. Those below, which
	// are all that X has, leave room for the beginning of the id, so that a
	// million tweets with 0 likes are spread over the keys.
	plainCounter = 1 << 46
)

// CounterKey is the sort key of a counter of the tweet with a numeric id.
// Counters from 2^53 on are rounded to a double, and those that are the same
// double count as equal.
func CounterKey(value int64, id uint64) int64 {
	if value >= plainCounter {
		return int64(min(float64(value), math.MaxInt64&^(1<<10-1)))
	}
	length := bits.Len64(uint64(value))
	// The first digit of a number is 1 and need not be kept.
	digits := max(length-1, 0)
	room := keyBits - lengthBits - digits
	key := uint64(length)<<(keyBits-lengthBits) | (uint64(value)&(1<<digits-1))<<room | id>>(64-room)
	return int64(key) - 1<<keyBits
}

// CounterFrom is the smallest key that a counter of at least value can have.
func CounterFrom(value int64) int64 { return CounterKey(value, 0) }

const (
	nameBase   = 42 // signs of the alphabet below
	nameDigits = 9  // 42^9 < 2^49
	nameScale  = 16 // what is left of 53 bits
	// nameIDBits are those of ids until the year 2045; all later ones are the
	// same here.
	nameIDBits = 62
)

// UsernameKeys are the sort keys of a folded username of the tweet with a
// numeric id: its bytes as digits, nine in the first and nine more in the
// second. Behind a name's end the beginning of the id fills the room that is
// left, so that a prolific author's tweets are spread. rest orders what is equal
// in both: it is "" when they hold all of the name, and otherwise begins with
// "x" and has only signs that need no escape in a query.
func UsernameKeys(folded string, id uint64) (first, second int64, rest string) {
	first, left, held := nameKey(folded, id)
	if held {
		seq, _ := SplitNumber(id)
		return first, int64(seq), ""
	}
	if len(folded)-len(left) < nameDigits {
		return first, 0, nameRest(left)
	}
	second, left, held = nameKey(left, id)
	if held {
		return first, second, ""
	}
	return first, second, nameRest(left)
}

// nameKey returns nine digits of a name, and what they don't hold; held says
// that they hold its end.
func nameKey(name string, id uint64) (key int64, left string, held bool) {
	for i := range nameDigits {
		if i == len(name) {
			return fill(key*nameBase+nameEnd, nameDigits-1-i, id), "", true
		}
		digit, exact := nameDigit(name[i])
		key = key*nameBase + digit
		if !exact {
			return shift(key, nameDigits-1-i), name[i:], false
		}
	}
	return shift(key, 0), name[nameDigits:], false
}

// shift puts so many lowest digits behind a key, and scales it.
func shift(key int64, digits int) int64 {
	for range digits {
		key *= nameBase
	}
	return key * nameScale
}

// fill puts the beginning of an id into the room of so many digits behind a key.
func fill(key int64, digits int, id uint64) int64 {
	room := bits.Len64(uint64(shift(1, digits))) - 1
	return shift(key, digits) + int64(min(id, 1<<nameIDBits-1)>>(nameIDBits-room))
}

func nameRest(s string) string { return "x" + hex.EncodeToString([]byte(s)) }

// nameEnd is the digit behind a name's last byte.
const nameEnd = int64(0)

// nameDigit returns a byte's place in the alphabet. Bytes that usernames of X
// don't have share a place with their neighbours.
func nameDigit(c byte) (digit int64, exact bool) {
	switch {
	case c < '0':
		return 1, false
	case c <= '9':
		return 2 + int64(c-'0'), true
	case c < '_':
		return 12, false
	case c == '_':
		return 13, true
	case c < 'a':
		return 14, false
	case c <= 'z':
		return 15 + int64(c-'a'), true
	}
	return 41, false
}
