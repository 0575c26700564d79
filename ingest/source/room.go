package source

import (
	"context"
	"errors"
	"sync/atomic"

	"visualizer/schema"
)

// Room bounds what waits between a stream and a consumer that is slower.
type Room struct {
	Records int
	Bytes   int // of these records, as they came; one may be larger
}

// DefaultRoom holds some minutes of the sample stream.
func DefaultRoom() Room { return Room{Records: 16 << 10, Bytes: 32 << 20} }

// item is what a yielder takes.
type item struct {
	event schema.Event
	err   error
}

// record is what one record of a stream held.
type record struct {
	items []item
	bytes int
}

// queue takes what a stream brings and never makes it wait: what there is no
// room for is refused. One goroutine puts, one takes.
type queue struct {
	room    Room
	refused func(schema.Event, error)
	records chan record
	bytes   atomic.Int64

	next record // what the stream has brought of the present record
	end  error  // what ended the source; read once records is closed
}

func newQueue(room Room, refused func(schema.Event, error)) *queue {
	return &queue{room: room, refused: refused, records: make(chan record, max(room.Records, 1))}
}

// yield takes an event of the present record, or the error that ends all.
func (q *queue) yield(e schema.Event, err error) bool {
	if _, ok := errors.AsType[*Rejected](err); err != nil && !ok {
		q.end = err
		return false
	}
	q.next.items = append(q.next.items, item{e, err})
	return true
}

// recordEnds puts the present record, which had so many bytes, into the queue.
func (q *queue) recordEnds(size int) {
	r := record{q.next.items, size}
	q.next = record{}
	if used := q.bytes.Add(int64(size)); used == int64(size) || used <= int64(q.room.Bytes) {
		select {
		case q.records <- r:
			return
		default:
		}
	}
	q.bytes.Add(-int64(size))
	for _, it := range r.items {
		q.refused(it.event, it.err)
	}
}

// through runs a source whose reading loop never waits for yield. refused is
// told, by that loop, of each event there was no room for. What has come is
// yielded when ctx ends, too.
func (room Room) through(ctx context.Context, read func(context.Context, intake), refused func(schema.Event, error), yield yielder) {
	ctx, cancel := context.WithCancel(ctx)
	q := newQueue(room, refused)
	go func() {
		defer close(q.records)
		read(ctx, intake{q.yield, q.recordEnds})
	}()
	defer func() {
		cancel()
		for range q.records { // until the loop has ended
		}
	}()
	for r := range q.records {
		q.bytes.Add(-int64(r.bytes))
		for _, it := range r.items {
			if !yield(it.event, it.err) {
				return
			}
		}
	}
	if q.end != nil {
		yield(schema.Event{}, q.end)
	}
}

// intake is where a stream's reading loop puts what it reads.
type intake struct {
	yield yielder
	// recordEnds is called behind the events of a record of so many bytes.
	recordEnds func(bytes int)
}

// direct is the intake of a consumer that the loop waits for.
func direct(yield yielder) intake { return intake{yield, func(int) {}} }
