package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/flate"
)

// zipFile reads a file of a zip archive that is a stream. Its Read ends with
// io.EOF when the file is whole.
type zipFile struct {
	zipHeader
	in     *bufio.Reader
	packed *io.LimitedReader // nil when its size is not known before its end
	data   io.Reader
	crc    hash.Hash32
	n      uint64
	err    error
}

// zipHeader is what stands before a file.
type zipHeader struct {
	name          string
	flags, method uint16
	crc32         uint32
	packed, size  uint64
}

// openZipFile reads the header at which in stands.
func openZipFile(in *bufio.Reader) (*zipFile, error) {
	h, err := readZipHeader(in)
	if err != nil {
		return nil, err
	}
	f := &zipFile{zipHeader: h, in: in, crc: crc32.NewIEEE()}
	var packed io.Reader = in
	if !h.hasDescriptor() || h.packed > 0 {
		f.packed = &io.LimitedReader{R: in, N: int64(min(h.packed, math.MaxInt64))}
		packed = f.packed
	}
	switch {
	case h.method == zip.Deflate:
		f.data = flate.NewReader(packed) // reads no further than the data goes, as in is an io.ByteReader
	case f.packed == nil:
		f.data = untilDescriptor{f}
	default:
		f.data = packed
	}
	return f, nil
}

func readZipHeader(in *bufio.Reader) (h zipHeader, err error) {
	const size = 30
	b, err := in.Peek(size)
	if err != nil {
		in.Discard(len(b))
		return h, err
	}
	le := binary.LittleEndian
	h.flags, h.method, h.crc32 = le.Uint16(b[6:]), le.Uint16(b[8:]), le.Uint32(b[14:])
	h.packed, h.size = uint64(le.Uint32(b[18:])), uint64(le.Uint32(b[22:]))
	names := make([]byte, int(le.Uint16(b[26:]))+int(le.Uint16(b[28:])))
	extra := names[le.Uint16(b[26:]):]
	in.Discard(size)
	if _, err := io.ReadFull(in, names); err != nil {
		return h, err
	}
	h.name = string(names[:len(names)-len(extra)])
	h.zip64(extra)
	return h, nil
}

// zip64 takes sizes of more than 32 bits from a header's extra fields.
func (h *zipHeader) zip64(extra []byte) {
	const id, none = 1, math.MaxUint32
	le := binary.LittleEndian
	for len(extra) >= 4 {
		n := min(int(le.Uint16(extra[2:])), len(extra)-4)
		field := extra[4 : 4+n]
		if le.Uint16(extra) == id {
			for _, size := range []*uint64{&h.size, &h.packed} {
				if *size == none && len(field) >= 8 {
					*size, field = le.Uint64(field), field[8:]
				}
			}
		}
		extra = extra[4+n:]
	}
}

// hasDescriptor reports whether sizes and checksum stand behind the file.
func (h *zipHeader) hasDescriptor() bool { return h.flags&8 != 0 }

// unpacked reports whether the archive itself packed the file, so that its
// checksum is that of what Read delivers.
func (h *zipHeader) unpacked() bool { return h.method == zip.Store || h.method == zip.Deflate }

func (f *zipFile) Read(p []byte) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err = f.data.Read(p)
	f.crc.Write(p[:n])
	f.n += uint64(n)
	if err == io.EOF {
		err = f.check()
	}
	f.err = err
	return n, err
}

// check goes to the file's end. It returns io.EOF when the file is whole.
func (f *zipFile) check() error {
	if f.packed != nil {
		if _, err := io.Copy(io.Discard, f.packed); err != nil {
			return err
		}
		if f.packed.N > 0 {
			return io.ErrUnexpectedEOF
		}
	}
	switch {
	case f.hasDescriptor():
		b, err := f.in.Peek(maxDescriptor)
		n := f.descriptor(b)
		f.in.Discard(n)
		if n == 0 && err != nil {
			return cut(err)
		}
		if n > 0 {
			return io.EOF
		}
	case f.matches(f.crc32, f.zipHeader.packed, f.size):
		return io.EOF
	}
	return zip.ErrChecksum
}

// matches compares what a header or descriptor says with what was read.
func (f *zipFile) matches(crc uint32, packed, size uint64) bool {
	if !f.unpacked() {
		return packed == f.n
	}
	return size == f.n && crc == f.crc.Sum32()
}

const (
	zipDescriptor = "PK\x07\x08" // mostly stands before a descriptor
	minDescriptor = 12
	maxDescriptor = 26 // with what is behind it
)

// descriptor returns the length of the descriptor at the front of b, or 0.
// Whether it has a signature, and sizes of 32 or 64 bits, only its content
// and what follows can tell.
func (f *zipFile) descriptor(b []byte) int {
	le := binary.LittleEndian
	at := 0
	if begins(zipDescriptor)(b) {
		at = len(zipDescriptor)
	}
	for _, width := range []int{4, 8} {
		end := at + 4 + 2*width
		if len(b) < end {
			break
		}
		packed, size := uint64(le.Uint32(b[at+4:])), uint64(le.Uint32(b[at+8:]))
		if width == 8 {
			packed, size = le.Uint64(b[at+4:]), le.Uint64(b[at+12:])
		}
		if f.matches(le.Uint32(b[at:]), packed, size) && (len(b) < end+2 || string(b[end:end+2]) == "PK") {
			return end
		}
	}
	return 0
}

// untilDescriptor reads a file that is not compressed and whose size is not
// known: to the descriptor that fits all before it.
type untilDescriptor struct{ f *zipFile }

func (u untilDescriptor) Read(p []byte) (int, error) {
	in := u.f.in
	b, err := in.Peek(maxDescriptor)
	if len(b) == 0 {
		return 0, cut(err)
	}
	b, _ = in.Peek(in.Buffered())
	end := bytes.Index(b, []byte(zipDescriptor))
	switch {
	case end == 0 && u.f.descriptor(b) > 0:
		return 0, io.EOF
	case end == 0:
		end = 1
	case end < 0 && len(b) >= minDescriptor:
		end = len(b) - len(zipDescriptor) + 1
	case end < 0:
		end = len(b)
	}
	n := copy(p, b[:end])
	in.Discard(n)
	return n, nil
}
