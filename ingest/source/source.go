package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"visualizer/schema"
)

// Source delivers tweets.
type Source interface {
	// Name stands in logs, dead letters and the status: the file's name, "x",
	// "sim", "stdin".
	Name() string
	// Events yields what the source delivers, in order. A *Rejected error is a
	// record that can't be a tweet; reading goes on behind it. Any other error
	// ends the source. A cancelled context ends it without an error.
	Events(ctx context.Context) iter.Seq2[schema.Event, error]
}

// Rejected is a record that was set aside.
type Rejected struct {
	Reason schema.Reason
	Source string // file name, or the stream's name
	Line   int    // 1-based; 0 when there are no lines
	Raw    []byte // a copy of the bytes, at most schema.MaxRawBytes
	Size   int    // how many bytes there were
	Err    error  // what was wrong
}

// reject returns a *Rejected with a copy of the record's bytes.
func reject(reason schema.Reason, raw []byte, err error) *Rejected {
	kept := raw[:min(len(raw), schema.MaxRawBytes)]
	return &Rejected{Reason: reason, Raw: append([]byte(nil), kept...), Size: len(raw), Err: err}
}

// Error tells the place, the reason and what was wrong, but not the record.
func (r *Rejected) Error() string {
	return fmt.Sprintf("%s:%d: %s: %v", r.Source, r.Line, r.Reason, r.Err)
}

// Unwrap returns what was wrong.
func (r *Rejected) Unwrap() error { return r.Err }

// Reader is a source that reads plain or compressed bytes once.
type Reader struct {
	name string
	r    io.Reader
}

// NewReader returns a source of what r holds.
func NewReader(name string, r io.Reader) *Reader { return &Reader{name: name, r: r} }

// Name returns the name given to NewReader.
func (r *Reader) Name() string { return r.name }

// Events yields the records of r.
func (r *Reader) Events(ctx context.Context) iter.Seq2[schema.Event, error] {
	return func(yield func(schema.Event, error) bool) { readContainer(ctx, r.name, r.r, yield) }
}

// yielder takes one event or one error, and tells whether it wants more.
type yielder = func(schema.Event, error) bool

// readContainer yields the events of a file's bytes. It reports whether the
// next file may follow.
func readContainer(ctx context.Context, name string, raw io.Reader, yield yielder) bool {
	text, release, err := unpack(raw)
	if err != nil {
		return yieldEnd(name, 0, err, yield)
	}
	defer release()
	rec := newRecords(text)
	for {
		switch err := rec.next(); {
		case ctx.Err() != nil: // which may be the cause of err
			return false
		case err == io.EOF:
			return true
		case err != nil:
			return yieldEnd(name, rec.line, err, yield)
		}
		if !yieldRecord(name, rec, nil, yield) {
			return false
		}
	}
}

// yieldEnd yields the error that ended a file: a damaged container is a
// rejected record, behind which the next file may follow.
func yieldEnd(name string, line int, err error, yield yielder) bool {
	if _, ok := errors.AsType[*damage](err); !ok {
		yield(schema.Event{}, fmt.Errorf("read %s: %w", name, err))
		return false
	}
	r := reject(schema.BadContainer, nil, err)
	r.Source, r.Line = name, line
	return yield(schema.Event{}, r)
}

// yieldRecord yields what the present record of rec holds.
func yieldRecord(name string, rec *records, observed *schema.Time, yield yielder) bool {
	if rec.bad != nil {
		rec.bad.Source = name
		return yield(schema.Event{}, rec.bad)
	}
	if rec.value == nil {
		return yield(schema.Event{Kind: schema.KindBlank}, nil)
	}
	more := true
	decode(rec.value, observed, func(e schema.Event, r *Rejected) bool {
		if r == nil {
			more = yield(e, nil)
		} else {
			r.Source, r.Line = name, rec.at
			more = yield(e, r)
		}
		return more
	})
	return more
}
