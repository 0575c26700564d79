package source

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
)

// tarBlock is the unit of a tar archive: each header and each file begins at a
// multiple of it.
const tarBlock = 512

var (
	errTarHeader = errors.New("the header of a file is damaged or cut")
	errTarEnd    = errors.New("its end is missing")
	errTarSparse = errors.New("a file with holes is not read")
)

// isTar looks for the mark of a tar archive, or for a header with a valid
// checksum, as old ones have no mark.
func isTar(head []byte) bool {
	const mark = 257
	return len(head) > mark && begins("ustar\x00", "ustar  \x00")(head[mark:]) || isTarHeader(head)
}

// isTarHeader reports whether a block has the checksum of a header.
func isTarHeader(block []byte) bool {
	const from, to = 148, 156 // the checksum, which counts as blanks
	if len(block) < tarBlock || block[0] == 0 {
		return false
	}
	want, err := strconv.ParseInt(strings.Trim(string(block[from:to]), " \x00"), 8, 64)
	if err != nil {
		return false
	}
	unsigned, signed := int64(0), int64(0) // some old writers took bytes as signed
	for i, b := range block[:tarBlock] {
		if i >= from && i < to {
			b = ' '
		}
		unsigned += int64(b)
		signed += int64(int8(b))
	}
	return want == unsigned || want == signed
}

// tarMembers yields the files of a tar archive as they stand. Behind a damaged
// header it looks for the next good one, and behind the end of the archive for
// another that was joined to it.
func tarMembers(in *input) iter.Seq2[*member, error] {
	return func(yield func(*member, error) bool) {
		t := tarArchive{in: in.r}
		for {
			garbage, err := t.seek()
			bad := err
			switch {
			case garbage && (err == nil || err == io.EOF):
				bad = errTarHeader
			case err == io.EOF && !t.ended:
				bad = errTarEnd
			case err == io.EOF:
				bad = nil
			}
			if bad != nil && !t.lost && !yield(nil, bad) || err != nil || !t.member(yield) {
				return
			}
		}
	}
}

type tarArchive struct {
	in    *bufio.Reader
	ended bool // zeros, which end an archive, stand behind the last file
	lost  bool // why there may be no header here was told
}

// seek goes to the next header. It reports whether it passed over anything but
// zeros.
func (t *tarArchive) seek() (garbage bool, err error) {
	for {
		block, err := t.in.Peek(tarBlock)
		if isTarHeader(block) {
			return garbage, nil
		}
		if isZero(block) {
			t.ended = t.ended || len(block) > 0
		} else {
			garbage = true
		}
		if err != nil {
			return garbage, err
		}
		t.in.Discard(tarBlock)
	}
}

func isZero(block []byte) bool { return len(bytes.TrimLeft(block, "\x00")) == 0 }

// member yields the file at whose header in stands, and goes to its end. It
// has a reader of its own, as one that came upon a bad header is of no more
// use.
func (t *tarArchive) member(yield func(*member, error) bool) bool {
	raw := &counted{r: t.in}
	r := tar.NewReader(raw)
	h, err := r.Next()
	t.ended, t.lost = false, err != nil && !errors.Is(err, tar.ErrInsecurePath) // nothing is written, so any path will do
	switch {
	case t.lost:
		return yield(nil, cut(err))
	case isSparse(h):
		t.lost = true // holes may be of any size: seek is faster than reading them
		return yield(&member{name: h.Name}, errTarSparse)
	}
	m := &member{name: h.Name, r: r}
	if (h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeCont) && !yield(m, nil) {
		return false
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.lost = true
		return m.damaged || yield(nil, err)
	}
	t.in.Discard(int(-raw.n & (tarBlock - 1))) // seek sees when it is cut
	return true
}

func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// counted counts the bytes of r.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
