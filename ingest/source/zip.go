package source

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"slices"

	"github.com/klauspost/compress/flate"
)

// Methods of compression that archive/zip has no name for. Their data is a
// file of that kind, which is unpacked as any other.
const (
	zipBzip2 = 12
	zipZstd  = 93
)

// zipMembers yields the files of a zip archive: by its directory, in the order
// of their names, or as they stand where there is none or only a stream.
func zipMembers(in *input) iter.Seq2[*member, error] {
	if in.file != nil {
		if z, err := zipDirectory(in.file); err == nil {
			return zipFiles(z)
		}
	}
	return zipStream(in.r)
}

// maxDirectory bounds how many bytes of a directory are read, as all of it is
// held in memory. A month of minutes has a third of that. An archive with more
// is read as a stream.
const maxDirectory = 16 << 20

var errDirectory = errors.New("the directory is too large")

// zipDirectory reads the directory of an archive.
func zipDirectory(file *io.SectionReader) (*zip.Reader, error) {
	limited := &limitedAt{file, maxDirectory}
	z, err := zip.NewReader(limited, file.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // nothing is written, so any path will do
		return nil, err
	}
	limited.left = math.MaxInt
	if len(z.File) > 0 { // a damaged end of the directory would move them all
		if _, err := z.File[0].DataOffset(); err != nil {
			return nil, err
		}
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	slices.SortStableFunc(z.File, func(a, b *zip.File) int { return cmp.Compare(a.Name, b.Name) })
	return z, nil
}

type limitedAt struct {
	io.ReaderAt
	left int
}

func (l *limitedAt) ReadAt(p []byte, off int64) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errDirectory
	}
	return l.ReaderAt.ReadAt(p, off)
}

func zipFiles(z *zip.Reader) iter.Seq2[*member, error] {
	return func(yield func(*member, error) bool) {
		for _, f := range z.File {
			if f.Mode()&fs.ModeType == 0 && !yieldZip(f, yield) {
				return
			}
		}
	}
}

func yieldZip(f *zip.File, yield func(*member, error) bool) bool {
	m := &member{name: f.Name}
	if err := zipReadable(f.Flags, f.Method); err != nil {
		return yield(m, err)
	}
	var err error
	if f.Method == zipBzip2 || f.Method == zipZstd {
		m.r, err = f.OpenRaw()
		return yield(m, err)
	}
	r, err := f.Open()
	if err != nil {
		return yield(m, err)
	}
	defer r.Close()
	m.r = r
	return yield(m, nil)
}

// zipReadable says why a file can't be read, or nil.
func zipReadable(flags, method uint16) error {
	const encrypted = 1
	if flags&encrypted != 0 {
		return errors.New("the file is encrypted")
	}
	switch method {
	case zip.Store, zip.Deflate, zipBzip2, zipZstd:
		return nil
	}
	return fmt.Errorf("the file is compressed by a method that is not read: %d", method)
}
