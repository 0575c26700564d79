package source

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxWindow is how far back a zstd file may refer, and so the memory that
	// reading it takes: that of zstd --long, more than any level has.
	maxWindow = 128 << 20
	// innerWindow is the same for one within another, which is what every
	// decoder must grant.
	innerWindow = 8 << 20
)

// isZstd also takes a skippable frame, with which some writers begin.
func isZstd(head []byte) bool {
	return begins("\x28\xb5\x2f\xfd")(head) ||
		len(head) >= magicBytes && head[0]>>4 == 5 && string(head[1:magicBytes]) == "\x2a\x4d\x18"
}

// openZstd reads all frames of a zstd file, one behind the other.
func openZstd(in *input) (io.ReadCloser, error) {
	z, err := zstd.NewReader(in.r,
		zstd.WithDecoderConcurrency(1), // no goroutines: what was read before a cut is delivered first
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(in.window),
		zstd.WithDecoderMaxMemory(in.window)) // holds for frames without a window
	if err != nil {
		return nil, err
	}
	in.window = innerWindow
	return zstdFile{z.IOReadCloser()}, nil
}

// zstdFile delivers also the block whose checksum is wrong or cut, which the
// decoder keeps back with the error and has ready for another Read.
type zstdFile struct{ io.ReadCloser }

func (z zstdFile) Read(p []byte) (n int, err error) {
	n, err = z.ReadCloser.Read(p)
	if n == 0 && err != nil && err != io.EOF {
		n, err = z.ReadCloser.Read(p)
	}
	return n, err
}
