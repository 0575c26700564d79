package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"visualizer/schema"
)

var (
	newline  = []byte("\n")
	errDeep  = fmt.Errorf("nested deeper than %d levels", schema.MaxDepth)
	errLarge = fmt.Errorf("larger than %d MiB", schema.MaxValueBytes>>20)
	errCut   = errors.New("the value is cut")
)

// syntaxError says what is wrong at v[pos].
func syntaxError(v []byte, pos int) error {
	if pos >= len(v) || v[pos] == '\n' || v[pos] == '\r' {
		return errCut
	}
	return fmt.Errorf("%q is not expected after %d bytes of the value", v[pos], pos)
}

// reject makes a bad record.
func (rec *records) reject(reason schema.Reason, raw []byte, err error) {
	rec.bad = reject(reason, raw, err)
	rec.bad.Line = rec.at
	rec.damage = true
}

// breakOff rejects the value that s was reading. The rest of the line goes
// with it, when it broke in the line where it began. Otherwise its first line
// alone does, and reading goes on in the second: what seemed to belong to the
// value may be good lines.
func (rec *records) breakOff(s *scanner, reason schema.Reason, err error) {
	seen := rec.buf[rec.r:]
	if s.pos < len(seen) {
		seen = seen[:s.pos]
	}
	end := bytes.IndexByte(seen, '\n')
	if end < 0 {
		rec.rejectLine(reason, err)
		return
	}
	rec.reject(reason, seen[:end], err)
	rec.r += end
	rec.resync, rec.indent = true, rec.col
}

// rejectLine rejects the rest of the line, unless reading fails before its
// end: then that is what is wrong with it.
func (rec *records) rejectLine(reason schema.Reason, err error) {
	rec.reject(reason, nil, err)
	rec.skipLine(rec.bad)
	if rec.r == len(rec.buf) && rec.err != nil && rec.err != io.EOF {
		rec.bad = nil
	}
}

// skipLine passes over the rest of the line without holding it. What bad has
// room for is kept there. It reports false: there is no record.
func (rec *records) skipLine(bad *Rejected) bool {
	for {
		rest := rec.buf[rec.r:]
		end := bytes.IndexByte(rest, '\n')
		if end >= 0 {
			rest = rest[:end]
		}
		if bad != nil {
			bad.Size += len(rest)
			bad.Raw = append(bad.Raw, rest[:min(len(rest), schema.MaxRawBytes-len(bad.Raw))]...)
		}
		rec.r += len(rest)
		if end >= 0 || !rec.fill() {
			return false
		}
	}
}

// inner reports whether a line that begins with c belongs to the value that
// broke before it, as far as its looks tell: so a broken pretty-printed value
// is one bad record and not one a line.
func (rec *records) inner(c byte) bool {
	return rec.col > rec.indent || bytes.IndexByte([]byte(`}]",:`), c) >= 0
}

// readInner reads a line that looks like a part of the value that broke, and
// takes it if it is an object of its own.
func (rec *records) readInner() bool {
	s := scanner{oneLine: true}
	if rec.scan(&s) != done {
		return false
	}
	rec.take(&s, done)
	return true
}
