package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// container is a kind of compressed file. It is recognised by its first
// bytes, never by the name of the file. To read another kind, add a file with
// its open function and a line to containers.
type container struct {
	name  string
	magic string
	open  func(io.Reader) (io.ReadCloser, error)
}

var containers = []container{
	{"gzip", "\x1f\x8b", openGzip},
	{"bzip2", "BZh", openBzip2},
}

func containerOf(head []byte) *container {
	for i := range containers {
		if bytes.HasPrefix(head, []byte(containers[i].magic)) {
			return &containers[i]
		}
	}
	return nil
}

const (
	// maxContainers bounds containers within containers.
	maxContainers = 3
	// sniffBytes is enough for every magic number and byte order mark.
	sniffBytes = 4
	readBytes  = 64 << 10
)

// unpack returns the text within raw as UTF-8, and a function that releases
// what reading took. An error of raw itself comes back as a *readError, any
// other says that a container is damaged; both may also come from Read.
func unpack(raw io.Reader) (text io.Reader, release func(), err error) {
	var opened []io.Closer
	release = func() {
		for _, c := range opened {
			c.Close()
		}
	}
	in := bufio.NewReaderSize(rawReader{raw}, readBytes)
	for range maxContainers {
		head, _ := in.Peek(sniffBytes) // an error comes back with the next Read
		c := containerOf(head)
		if c == nil {
			return toUTF8(in, head), release, nil
		}
		r, err := c.open(in)
		if err != nil {
			release()
			return nil, nil, containerError(c.name, err)
		}
		opened = append(opened, r)
		in = bufio.NewReaderSize(unpacked{c.name, r}, readBytes)
	}
	release()
	return nil, nil, containerError("file", errors.New("too many containers within each other"))
}

// toUTF8 decodes UTF-16, which only its byte order mark tells from UTF-8.
func toUTF8(in *bufio.Reader, head []byte) io.Reader {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return transform.NewReader(in, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder())
	}
	return in
}

// readError is an error of the file itself: a disk that fails, say.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// rawReader marks the errors of r as readErrors.
type rawReader struct{ r io.Reader }

func (r rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// damage is what is wrong with a container.
type damage struct {
	container string
	error
}

func (d *damage) Error() string { return d.container + ": " + d.error.Error() }

// containerError returns err as damage of the container, unless it is an error
// of the bytes below.
func containerError(name string, err error) error {
	if _, ok := errors.AsType[*readError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*damage](err); ok {
		return err
	}
	return &damage{name, err}
}

// unpacked marks the errors of a container's text as its damage.
type unpacked struct {
	name string
	r    io.Reader
}

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = containerError(u.name, err)
	}
	return n, err
}
