package source

import (
	"context"
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
	Source string // file name, archive!member, or the stream's name
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

// Reader is a source that reads the bytes of a file or archive once.
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
	return func(yield func(schema.Event, error) bool) {
		u := unpacker{ctx: ctx, yield: yield}
		u.read(input{name: r.name, r: u.layer("", r.r), window: maxWindow})
	}
}

// yielder takes one event or one error, and tells whether it wants more.
type yielder = func(schema.Event, error) bool

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
