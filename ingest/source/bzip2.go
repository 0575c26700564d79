package source

import (
	"compress/bzip2"
	"io"
)

// openBzip2 reads all streams of a bzip2 file, one behind the other.
func openBzip2(r io.Reader) (io.ReadCloser, error) {
	return io.NopCloser(bzip2.NewReader(r)), nil
}
