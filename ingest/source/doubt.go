package source

import (
	"errors"
	"fmt"

	"visualizer/schema"
)

// maxDoubt is how many bad records at the beginning of a file are held back.
const maxDoubt = 16

// doubt judges by its content whether a file that nobody named is one of
// tweets. It holds back the bad records with which the file begins, until a
// JSON object shows that they are damage. Where none comes the file is
// something else, a table or a picture, and is one bad record and not one a
// line. Nothing good is lost either way.
type doubt struct {
	yield yielder
	over  bool
	held  []*Rejected // the first ones
	n     int         // of all
	empty int         // empty values, which anything may hold by chance
}

func (d *doubt) take(e schema.Event, err error) bool {
	if d.over {
		return d.yield(e, err)
	}
	r, bad := errors.AsType[*Rejected](err)
	switch {
	case bad && !isObject(r):
		d.n++
		if len(d.held) < maxDoubt {
			d.held = append(d.held, r)
		}
		return true
	case !bad && e.Control == controlEmpty:
		d.empty++
		return true
	case !bad && e.Kind == schema.KindBlank:
		return d.yield(e, err)
	}
	d.over = true
	return d.release(d.n <= maxDoubt) && d.releaseEmpty() && d.yield(e, err)
}

// isObject reports whether a bad record is a whole JSON object.
func isObject(r *Rejected) bool {
	return r.Reason != schema.BadJSON && r.Reason != schema.TooDeep && begins("{")(r.Raw)
}

// end is called behind the last record.
func (d *doubt) end() bool {
	alone := d.n <= maxDoubt
	for _, r := range d.held {
		alone = alone && (d.n == 1 || begins("{", "[")(r.Raw)) // a file of cut records
	}
	return d.release(alone) && (!alone || d.releaseEmpty())
}

// release yields what is held back, each alone or all as one.
func (d *doubt) release(alone bool) bool {
	if d.n > 0 && !alone {
		first := d.held[0]
		first.Reason = schema.NotTweet
		first.Err = fmt.Errorf("%d records in a row that are no JSON objects; the first: %w", d.n, first.Err)
		d.held = d.held[:1]
	}
	for _, r := range d.held {
		if !d.yield(schema.Event{}, r) {
			return false
		}
	}
	d.held, d.n = nil, 0
	return true
}

func (d *doubt) releaseEmpty() bool {
	for ; d.empty > 0; d.empty-- {
		if !d.yield(schema.Event{Kind: schema.KindControl, Control: controlEmpty}, nil) {
			return false
		}
	}
	return true
}
