package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// container is a kind of compressed file or archive. It is recognised by its
// first bytes, never by the name of the file. To read another kind, add a file
// with its functions and a line to containers.
type container struct {
	name string
	is   func(head []byte) bool
	// open returns what a compressed file holds.
	open func(*input) (io.ReadCloser, error)
	// members yields what an archive holds, see member.
	members func(*input) iter.Seq2[*member, error]
}

var containers = []container{
	{name: "gzip", is: begins("\x1f\x8b"), open: func(in *input) (io.ReadCloser, error) { return openGzip(in.r) }},
	{name: "bzip2", is: begins("BZh"), open: openBzip2},
	{name: "zstd", is: isZstd, open: openZstd},
	{name: "zip", is: begins(zipLocal, zipEnd, zipSplit), members: zipMembers},
	{name: "tar", is: isTar, members: tarMembers},
	// To say once what they are is better than to call each line of them bad.
	{name: "xz", is: begins("\xfd7zXZ\x00"), open: unsupported},
	{name: "7z", is: begins("7z\xbc\xaf\x27\x1c"), open: unsupported},
	{name: "rar", is: begins("Rar!\x1a\x07"), open: unsupported},
	{name: "lz4", is: begins("\x04\x22\x4d\x18"), open: unsupported},
}

func unsupported(*input) (io.ReadCloser, error) {
	return nil, errors.New("this kind of file is not read: unpack it first")
}

// begins returns a function that looks for one of several magic numbers.
func begins(magics ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, magic := range magics {
			if bytes.HasPrefix(head, []byte(magic)) {
				return true
			}
		}
		return false
	}
}

func containerOf(head []byte) *container {
	for i := range containers {
		if containers[i].is(head) {
			return &containers[i]
		}
	}
	return nil
}

const (
	// magicBytes is enough for every byte order mark and most magic numbers.
	magicBytes = 4
	// sniffBytes is enough for all of them.
	sniffBytes = tarBlock
	readBytes  = 64 << 10
)

// sniff returns the first bytes of a file. Its error, other than io.EOF, tells
// that there is hardly one; any other comes back with the next Read. It
// doesn't wait for more of what begins as JSON: that may come from a live
// stream.
func sniff(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(magicBytes)
	if err != nil {
		return head, err
	}
	n := sniffBytes
	if bytes.IndexByte([]byte("{[\" \t\r\n"+bom[:1]), head[0]) >= 0 {
		n = min(n, in.Buffered())
	}
	head, _ = in.Peek(n)
	return head, nil
}

// toUTF8 decodes UTF-16, which only its byte order mark tells from UTF-8.
func toUTF8(in *bufio.Reader, head []byte) io.Reader {
	if begins("\xff\xfe", "\xfe\xff")(head) {
		return transform.NewReader(in, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder())
	}
	return in
}

// readError is an error of the file itself: a disk that fails, say.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// damage is what is wrong with a container.
type damage struct {
	container string
	error
}

func (d *damage) Error() string { return d.container + ": " + d.error.Error() }

func (d *damage) Unwrap() error { return d.error }

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

// cut is the error of a container that ends too early.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
