package source

import (
	"io"
	"sync/atomic"
)

// meter counts what is read of a file. Where the file's size is known the
// count is never more, though parts of an archive are read twice, and comes
// to it at the end, though others are not read at all.
type meter struct {
	r     io.Reader
	at    io.ReaderAt // nil for a stream
	read  *atomic.Int64
	sized bool
	left  int64 // of the size
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.add(int64(n))
	return n, err
}

// ReadAt marks its errors as those of the file itself.
func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.at.ReadAt(p, off)
	m.add(int64(n))
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

func (m *meter) add(n int64) {
	if m.sized {
		n = min(n, m.left)
		m.left -= n
	}
	m.read.Add(n)
}

// finish is called behind the last record.
func (m *meter) finish() { m.add(m.left) }
