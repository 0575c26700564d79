package source

import (
	"compress/bzip2"
	"io"
)

// openBzip2 reads all streams of a bzip2 file, one behind the other.
func openBzip2(in *input) (io.ReadCloser, error) {
	return io.NopCloser(bzip2.NewReader(in.r)), nil
}
