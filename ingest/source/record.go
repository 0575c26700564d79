package source

import (
	"bytes"
	"errors"
	"io"

	"visualizer/schema"
)

// records cuts JSON values out of a stream of text. It holds one value at a
// time, never a whole line or array.
//
// A line usually holds one value, but it may hold several, with commas
// between and behind them, and a value may go on over many lines. Top-level
// arrays are opened and read element by element. The rest of a line that is no
// JSON is one bad record, and reading goes on with the next line: also when
// the broken value seemed to go on over lines that turn out to be good ones.
type records struct {
	// What next found: a value, a bad record, or neither, which is a blank
	// line. The value is valid until next is called again.
	value []byte
	bad   *Rejected
	at    int // the line it began in

	in  io.Reader
	buf []byte
	r   int   // buf[r:] is not read yet
	err error // of in, after which nothing comes

	// oneLine is for live streams, where no value goes on behind a line's end
	// and waiting for more would only hold up the next tweet.
	oneLine bool

	line   int  // number of the present line
	col    int  // blanks at its beginning
	fresh  bool // only blanks in it so far
	comma  bool // a comma may come
	arrays int  // how many top-level arrays are open
	array  int  // the line where the outermost began
	empty  bool // nothing came since the last of them was opened
	damage bool // a bad record was found since it began

	resync bool // inside the lines of a value that broke
	indent int  // col of the line it began in
}

func newRecords(in io.Reader) *records {
	return &records{in: in, line: 1, fresh: true}
}

// next finds the next record. Its error is io.EOF at the end, else one of the
// reader.
func (rec *records) next() error {
	rec.value, rec.bad = nil, nil
	for {
		if rec.r == len(rec.buf) && !rec.fill() {
			return rec.end()
		}
		c := rec.buf[rec.r]
		switch {
		case c == '\n':
			if rec.endLine() {
				return nil
			}
		case c == ' ', c == '\t', c == '\r', c == 0: // NUL: what a crash leaves in a file
			rec.r++
			if rec.fresh {
				rec.col++
			}
		case c == bom[0] && rec.fresh && rec.skipBOM():
		default:
			if rec.token(c) {
				return nil
			}
		}
	}
}

// bom is the byte order mark of UTF-8. It stands before the first line, and
// before others where such files were joined.
const bom = "\xef\xbb\xbf"

func (rec *records) skipBOM() bool {
	for len(rec.buf)-rec.r < len(bom) && rec.fill() {
	}
	if !bytes.HasPrefix(rec.buf[rec.r:], []byte(bom)) {
		return false
	}
	rec.r += len(bom)
	return true
}

// endLine passes over a line's end. It reports whether the line was blank.
func (rec *records) endLine() bool {
	blank := rec.fresh
	rec.r++
	rec.at = rec.line
	rec.line++
	rec.fresh, rec.col = true, 0
	if rec.oneLine && rec.arrays > 0 {
		return rec.rejectArray()
	}
	return blank
}

var errOpenArray = errors.New("the array is not closed")

// end is called when nothing follows.
func (rec *records) end() error {
	if rec.fresh && rec.col > 0 && rec.err == io.EOF { // blanks without a line's end
		rec.col = 0
		rec.at = rec.line
		return nil
	}
	if rec.arrays > 0 && rec.err == io.EOF && rec.rejectArray() {
		return nil
	}
	return rec.err
}

// rejectArray gives up the arrays that are open. It reports whether that makes
// a bad record: not where one in them has told of the damage already.
func (rec *records) rejectArray() bool {
	rec.arrays = 0
	if !rec.damage {
		rec.at = rec.array
		rec.reject(schema.BadJSON, nil, errOpenArray)
	}
	return rec.bad != nil
}

// token takes a byte that is no blank. It reports whether there is a record.
func (rec *records) token(c byte) bool {
	first := rec.fresh
	rec.fresh, rec.at = false, rec.line
	if rec.resync && first {
		if rec.inner(c) {
			return c == '{' && rec.readInner() || rec.skipLine(nil)
		}
		rec.resync = false
	}
	switch {
	case c == ',' && rec.comma:
		rec.r++
		rec.comma = false
	case c == '[':
		return rec.openArray()
	case c == ']' && rec.arrays > 0:
		return rec.closeArray()
	default:
		rec.empty = false
		return rec.readValue()
	}
	return false
}

func (rec *records) openArray() bool {
	if rec.arrays == schema.MaxDepth {
		rec.arrays = 0
		rec.rejectLine(schema.TooDeep, errDeep)
		return rec.bad != nil
	}
	if rec.arrays == 0 {
		rec.array, rec.damage = rec.line, false
	}
	rec.r++
	rec.arrays++
	rec.empty, rec.comma = true, false
	return false
}

// closeArray reports whether the array was empty, which is a record.
func (rec *records) closeArray() bool {
	empty := rec.empty
	if empty {
		rec.value = []byte("[]")
	}
	rec.r++
	rec.arrays--
	rec.empty, rec.comma = false, true
	return empty
}

// readValue reads one value, or finds that there is none. It reports whether
// either makes a record: the line at which a damaged container ends does not.
func (rec *records) readValue() bool {
	s := scanner{oneLine: rec.oneLine}
	rec.take(&s, rec.scan(&s))
	return rec.value != nil || rec.bad != nil
}

// scan runs s over the value that begins at r, until it ends or breaks.
func (rec *records) scan(s *scanner) verdict {
	for {
		v := rec.buf[rec.r:]
		if r := s.scan(v); r != more {
			return r
		}
		if len(v) > schema.MaxValueBytes {
			return more
		}
		if !rec.fill() {
			return s.end(v)
		}
	}
}

// take makes a record of what s found.
func (rec *records) take(s *scanner, r verdict) {
	rec.comma = true
	switch r {
	case done:
		v := rec.buf[rec.r : rec.r+s.pos]
		rec.r += s.pos
		rec.line += bytes.Count(v, newline)
		if len(v) > schema.MaxValueBytes {
			rec.reject(schema.TooLarge, v, errLarge)
			return
		}
		if s.nul {
			v = bytes.ReplaceAll(v, []byte{0}, []byte(`\u0000`))
		}
		rec.value = v
	case more:
		rec.breakOff(s, schema.TooLarge, errLarge)
	case deep:
		rec.breakOff(s, schema.TooDeep, errDeep)
	case broken:
		rec.breakOff(s, schema.BadJSON, syntaxError(rec.buf[rec.r:], s.pos))
	}
}

// fill reads more bytes behind buf[r:], which stay.
func (rec *records) fill() bool {
	if rec.err != nil {
		return false
	}
	rec.makeRoom()
	for range 100 { // as io.Reader allows reads of nothing, but not for ever
		n, err := rec.in.Read(rec.buf[len(rec.buf):cap(rec.buf)])
		rec.buf = rec.buf[:len(rec.buf)+n]
		rec.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	rec.err = io.ErrNoProgress
	return false
}

// maxBuffer has room for the largest value and one read more.
const maxBuffer = schema.MaxValueBytes + readBytes

// makeRoom keeps room behind buf. What is unread stays, at its front when
// there is no other way; a large buffer goes when it is no longer needed.
func (rec *records) makeRoom() {
	rest := rec.buf[rec.r:]
	size := cap(rec.buf)
	switch {
	case len(rest) == 0 && size > 16*readBytes:
		rec.buf = make([]byte, 0, readBytes)
	case len(rest) == 0 && size > 0:
		rec.buf = rec.buf[:0]
	case len(rec.buf) < size:
		return
	case rec.r > 0 && (len(rest) <= size/2 || size == maxBuffer):
		rec.buf = rec.buf[:copy(rec.buf, rest)]
	default:
		rec.buf = append(make([]byte, 0, min(max(2*size, readBytes), maxBuffer)), rest...)
	}
	rec.r = 0
}
