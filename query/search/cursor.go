package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// A cursor is value, id and a sum over both and order and filter, so that it
// works without anything kept and a foreign or damaged one is noticed. It says
// nothing secret; the sum only guards against mistakes. It holds the value and
// not its sort key, so that it outlives another kind of key.
const (
	cursorVersion = 2
	cursorHead    = 1 + 1 + 8 + 8 // version, flags, id, number; the name follows
	cursorSum     = 6
)

// flagValue is set when the value is known.
const flagValue = 1

// encodeCursor returns the cursor of a position in the answer that scope
// names.
func encodeCursor(p position, scope string) string {
	v, flags := value{}, byte(0)
	if p.value != nil {
		v, flags = *p.value, flagValue
	}
	b := make([]byte, 0, cursorHead+len(v.name)+cursorSum)
	b = append(b, cursorVersion, flags)
	b = binary.BigEndian.AppendUint64(b, p.id)
	b = binary.BigEndian.AppendUint64(b, uint64(v.number))
	b = append(b, v.name...)
	return base64.RawURLEncoding.EncodeToString(append(b, sum(b, scope)...))
}

func sum(payload []byte, scope string) []byte {
	h := sha256.New()
	h.Write(payload)
	h.Write([]byte(scope))
	return h.Sum(nil)[:cursorSum]
}

// decodeCursor reads a cursor made by encodeCursor with the same scope.
func decodeCursor(s, argument, scope string, o Order) (position, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	// Decoding lets line ends pass; a cursor has none.
	if err != nil || len(b) < cursorHead+cursorSum || b[0] != cursorVersion || base64.RawURLEncoding.EncodedLen(len(b)) != len(s) {
		return position{}, inputError("this is no cursor of this API: pass one from an edge or pageInfo as it is", argument)
	}
	payload := b[:len(b)-cursorSum]
	if !bytes.Equal(b[len(payload):], sum(payload, scope)) {
		return position{}, inputError("this cursor is damaged or came from another filter or order: start again without it", argument)
	}
	id := binary.BigEndian.Uint64(payload[2:])
	if payload[1]&flagValue == 0 {
		return o.at(nil, id), nil
	}
	v := value{number: int64(binary.BigEndian.Uint64(payload[10:])), name: string(payload[cursorHead:])}
	if !o.canHave(v) {
		return position{}, inputError("this cursor is damaged or came from another filter or order: start again without it", argument)
	}
	return o.at(&v, id), nil
}
