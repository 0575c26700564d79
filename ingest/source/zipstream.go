package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"strings"
)

// What stands at the front of each part of a zip archive.
const (
	zipLocal   = "PK\x03\x04" // header of a file
	zipCentral = "PK\x01\x02" // entry of the directory
	zipEnd     = "PK\x05\x06" // end of the directory
	zipSplit   = "PK\x07\x08" // stands first in an archive that might have had several parts
)

var (
	errZipHeader = errors.New("the header of a file is damaged")
	errZipEnd    = errors.New("its end is missing")
)

// zipStream yields the files of a zip archive as they stand, by the headers
// before them: from a stream, which has its directory at the end, or from a
// file that is cut. It needs no room but its buffers.
func zipStream(in *bufio.Reader) iter.Seq2[*member, error] {
	return func(yield func(*member, error) bool) {
		z := zipArchive{in: in}
		if z.at(zipSplit) {
			in.Discard(len(zipSplit))
		}
		for {
			garbage, err := z.seek(zipLocal, zipCentral, zipEnd)
			if err == nil && garbage && !z.lost && !yield(nil, errZipHeader) {
				return
			}
			if err == nil && z.at(zipLocal) {
				if !z.member(yield) {
					return
				}
				continue
			}
			if err == nil {
				err = z.end()
			}
			if err != nil && !z.lost {
				yield(nil, zipCut(err))
			}
			return
		}
	}
}

type zipArchive struct {
	in   *bufio.Reader
	lost bool // why there may be no header here was told
}

// seek goes to the next of some signatures. It reports whether it passed over
// anything.
func (z *zipArchive) seek(signatures ...string) (garbage bool, err error) {
	for {
		if _, err := z.in.Peek(magicBytes); err != nil {
			return garbage || z.in.Buffered() > 0, err
		}
		b, _ := z.in.Peek(z.in.Buffered())
		for i := range len(b) - magicBytes + 1 {
			if b[i] == 'P' && begins(signatures...)(b[i:]) {
				z.in.Discard(i)
				return garbage || i > 0, nil
			}
		}
		garbage = true
		z.in.Discard(len(b) - magicBytes + 1)
	}
}

func (z *zipArchive) at(signature string) bool {
	b, _ := z.in.Peek(magicBytes)
	return string(b) == signature
}

// end passes over the directory and what is behind it. An archive that is
// whole has the directory's end.
func (z *zipArchive) end() error {
	const size = 22 // and a comment, whose length is the last number
	if _, err := z.seek(zipEnd); err != nil {
		return err
	}
	b, err := z.in.Peek(size)
	if err == nil {
		_, err = z.in.Discard(size + int(binary.LittleEndian.Uint16(b[size-2:])))
	}
	if err == nil {
		_, err = io.Copy(io.Discard, z.in)
	}
	return err
}

func zipCut(err error) error {
	if err == io.EOF {
		return errZipEnd
	}
	return err
}

// member yields the file at whose header in stands, and goes to its end.
func (z *zipArchive) member(yield func(*member, error) bool) bool {
	f, err := openZipFile(z.in)
	z.lost = err != nil
	if err != nil {
		return yield(nil, cut(err))
	}
	m := &member{name: f.name, r: f}
	if err = zipReadable(f.flags, f.method); err != nil {
		f.err = err
	} else if !strings.HasSuffix(f.name, "/") && !yield(m, nil) {
		return false
	}
	if err == nil {
		_, err = io.Copy(io.Discard, f)
	}
	if f.err != io.EOF && f.packed != nil {
		io.Copy(io.Discard, f.packed)
	}
	z.lost = m.damaged || err != nil
	return err == nil || m.damaged || yield(m, err)
}
