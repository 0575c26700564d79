package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"visualizer/schema"
)

// position is a place in the total order (createdAt, id). It need not be that
// of a stored tweet.
type position struct {
	at *schema.Moment // nil: among those without createdAt
	id uint64
}

func positionOf(t *schema.Tweet) position {
	id, _ := schema.ParseID(t.ID)
	return position{at: schema.NewMoment(t.CreatedAt, t.ID), id: id}
}

// before reports whether p stands before q in a list of the given order.
func (p position) before(q position, o Order) bool {
	switch {
	case p.at == nil && q.at != nil:
		return false
	case p.at != nil && q.at == nil:
		return true
	case p.at != nil && *p.at != *q.at:
		return (*p.at < *q.at) != o.Descending
	}
	return p.id != q.id && (p.id < q.id) != o.Descending
}

func (p position) equal(q position) bool { return !p.before(q, Newest) && !q.before(p, Newest) }

// A cursor is the position and a sum over position, order and filter, so that
// it works without anything kept and a foreign or damaged one is noticed. It
// says nothing secret; the sum only guards against mistakes.
const (
	cursorVersion = 1
	cursorSum     = 6
	cursorBytes   = 1 + 1 + 8 + 8 + cursorSum
	cursorLength  = cursorBytes * 4 / 3 // in base64, which lets line ends pass
)

const (
	flagDated = 1 << iota
)

// encodeCursor returns the cursor of a position in the answer that scope
// names.
func encodeCursor(p position, scope string) string {
	b := make([]byte, 0, cursorBytes)
	if p.at != nil {
		b = append(b, cursorVersion, flagDated)
		b = binary.BigEndian.AppendUint64(b, uint64(*p.at))
	} else {
		b = append(b, cursorVersion, 0)
		b = binary.BigEndian.AppendUint64(b, 0)
	}
	b = binary.BigEndian.AppendUint64(b, p.id)
	return base64.RawURLEncoding.EncodeToString(append(b, sum(b, scope)...))
}

func sum(payload []byte, scope string) []byte {
	h := sha256.New()
	h.Write(payload)
	h.Write([]byte(scope))
	return h.Sum(nil)[:cursorSum]
}

// decodeCursor reads a cursor made by encodeCursor with the same scope.
func decodeCursor(s, argument, scope string) (position, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != cursorBytes || b[0] != cursorVersion || len(s) != cursorLength {
		return position{}, inputError("this is no cursor of this API: pass one from an edge or pageInfo as it is", argument)
	}
	payload := b[:cursorBytes-cursorSum]
	if !bytes.Equal(b[len(payload):], sum(payload, scope)) {
		return position{}, inputError("this cursor is damaged or came from another filter or order: start again without it", argument)
	}
	p := position{id: binary.BigEndian.Uint64(payload[10:])}
	if payload[1]&flagDated != 0 {
		at := schema.Moment(binary.BigEndian.Uint64(payload[2:]))
		p.at = &at
	}
	return p, nil
}
