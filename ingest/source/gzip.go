package source

import (
	"io"

	"github.com/klauspost/compress/gzip"
)

// openGzip reads all members of a gzip file, one behind the other.
func openGzip(r io.Reader) (io.ReadCloser, error) {
	z, err := gzip.NewReader(r)
	if err != nil { // not z: a nil *gzip.Reader is no nil io.ReadCloser
		return nil, err
	}
	return z, nil
}
