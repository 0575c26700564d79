package schema

import (
	"errors"
	"fmt"
	"strings"
)

// Stored is the payload of a message on SubjectStored: which tweets were stored
// for the first time in their own right, in the order they were stored. It names
// them and no more: whoever wants them reads what is stored now, so that a tweet
// that was deleted meanwhile is seen by nobody, and one that was edited may be
// superseded already. One that can't be found is left out.
//
// Every transaction that stored such tweets is an Entry, and each has the number
// behind that of the one before. A message repeats entries when its sender was
// killed before it knew that they had arrived, and when several services send:
// StoredReader leaves these out. A number that is left out is a gap: the broker
// has dropped what nobody took in time. Another Process is one as well: Redis was
// restarted, and may have lost its last second, whose tweets are stored again.
//
// The stream keeps some minutes in memory, so that a reader that lost its
// connection can go on where it was. What happens before the first message a
// reader sees is not told.
type Stored struct {
	Process string  `json:"process"` // of the Redis server
	Entries []Entry `json:"entries"`
}

// Entry is one transaction.
type Entry struct {
	Number uint64   `json:"number"`
	IDs    []string `json:"ids"`
}

// OutboxIDs is the field of an entry under OutboxKey with its ids, a blank
// between them.
const OutboxIDs = "ids"

// OutboxEntry returns the entry of an outbox.
func OutboxEntry(number uint64, ids string) Entry {
	return Entry{Number: number, IDs: strings.Fields(ids)}
}

// ErrGap: tweets may have been stored of which the reader was not told.
var ErrGap = errors.New("gap in what was stored")

// StoredReader reads the messages of SubjectStored in their order. The zero
// value begins with the first message it is given.
type StoredReader struct {
	process string
	last    uint64
}

// Next returns the ids that a message tells of for the first time. With ErrGap
// it returns those behind the gap; reading may go on.
func (r *StoredReader) Next(m Stored) (ids []string, err error) {
	entries, err := r.entries(m)
	for _, e := range entries {
		ids = append(ids, e.IDs...)
	}
	return ids, err
}

// Read returns the entries that a message's payload tells of for the first time,
// as Next does. A payload that can't be read is a gap.
func (r *StoredReader) Read(payload []byte) ([]Entry, error) {
	var m Stored
	if err := Decode(payload, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGap, err)
	}
	return r.entries(m)
}

func (r *StoredReader) entries(m Stored) (fresh []Entry, err error) {
	if r.process != m.Process {
		if r.process != "" {
			err = ErrGap
		}
		r.process, r.last = m.Process, 0
	}
	for _, e := range m.Entries {
		switch {
		case e.Number <= r.last:
			continue
		case r.last != 0 && e.Number > r.last+1:
			fresh, err = nil, ErrGap
		}
		r.last = e.Number
		fresh = append(fresh, e)
	}
	return fresh, err
}
