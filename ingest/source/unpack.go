package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"visualizer/schema"
)

// maxContainers bounds containers within containers. A month of the Internet
// Archive has up to five: month.tar.gz, day.tar.gz, minute.json.bz2.
const maxContainers = 8

// input is a file, what a compressed file holds, or a member of an archive.
type input struct {
	name string // file, or archive!member
	r    *bufio.Reader
	// file reads any place of the same bytes, or is nil.
	file *io.SectionReader
	// found says that nobody named it: it lay in an archive or folder, and may
	// be no tweet file at all.
	found  bool
	depth  int    // how many containers are around it
	window uint64 // for zstd, see maxWindow
}

// member is a file within an archive. An iterator of members yields each with
// the error that keeps it from being read, or nil; an error without a member
// is one of the archive itself. A damaged archive yields what can still be
// found in it. r is valid until the next member.
type member struct {
	name string
	r    io.Reader
	// damaged is set when damage of it, or of what it stands in, was told. The
	// iterator then need not tell again what it comes upon behind it.
	damaged bool
}

// unpacker takes files out of their containers and yields their events.
type unpacker struct {
	ctx     context.Context
	yield   yielder
	damages int // yielded so far
}

// read yields the events of a file. It reports whether the next may follow.
func (u *unpacker) read(in input) bool {
	head, err := sniff(in.r)
	c := containerOf(head)
	switch {
	case err != nil && err != io.EOF:
		return u.fail(in.name, 0, err)
	case c == nil:
		return u.text(in, toUTF8(in.r, head))
	case in.depth == maxContainers:
		return u.fail(in.name, 0, containerError(c.name, errors.New("too many containers within each other")))
	case c.members != nil:
		return u.archive(c, in)
	}
	r, err := c.open(&in)
	if err != nil {
		return u.fail(in.name, 0, containerError(c.name, err))
	}
	defer r.Close()
	in.r, in.file = u.layer(c.name, r), nil
	in.depth++
	return u.read(in)
}

// archive yields the events of all files within an archive.
func (u *unpacker) archive(c *container, in input) bool {
	for m, err := range c.members(&in) {
		inner := in
		inner.file, inner.found = nil, true
		inner.depth++
		before := u.damages
		ok := true
		switch {
		case m == nil:
			ok = u.fail(in.name, 0, containerError(c.name, err))
		case err != nil:
			ok = u.fail(memberName(in.name, m.name), 0, containerError(c.name, err))
		case !passedOver(m.name):
			inner.name, inner.r = memberName(in.name, m.name), u.layer(c.name, m.r)
			ok = u.read(inner)
		}
		if !ok {
			return false
		}
		if m != nil {
			m.damaged = u.damages > before
		}
	}
	return u.ctx.Err() == nil
}

// memberName is how the member of an archive is called in logs and dead
// letters. Its own name may be anything.
func memberName(archive, name string) string {
	const most = 512
	name = strings.TrimPrefix(strings.ToValidUTF8(name, "\uFFFD"), "./")
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + ellipsis
	}
	return archive + "!" + name
}

// passedOver reports whether a file in an archive or folder is left out for
// its name: what is hidden or lies in a hidden folder, and what macOS adds.
func passedOver(name string) bool {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if strings.Trim(part, ".") != "" && part[0] == '.' || part == "__MACOSX" {
			return true
		}
	}
	return false
}

// text yields the events of a file that is in no container any more.
func (u *unpacker) text(in input, text io.Reader) bool {
	d := doubt{yield: u.yield, over: !in.found}
	rec := newRecords(text)
	for {
		switch err := rec.next(); {
		case u.ctx.Err() != nil: // which may be the cause of err
			return false
		case err == io.EOF:
			return d.end()
		case err != nil:
			return d.end() && u.fail(in.name, rec.line, err)
		}
		if !yieldRecord(in.name, rec, nil, d.take) {
			return false
		}
	}
}

// fail yields the error that ended a file: a damaged container is a rejected
// record, behind which the next file may follow.
func (u *unpacker) fail(name string, line int, err error) bool {
	if u.ctx.Err() != nil { // which may be the cause of err
		return false
	}
	if _, ok := errors.AsType[*damage](err); !ok {
		u.yield(schema.Event{}, fmt.Errorf("read %s: %w", name, err))
		return false
	}
	u.damages++
	r := reject(schema.BadContainer, nil, err)
	r.Source, r.Line = name, line
	return u.yield(schema.Event{}, r)
}

// layer buffers what a container holds. The name is empty for the file itself.
func (u *unpacker) layer(name string, r io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(&layer{ctx: u.ctx, name: name, r: r}, readBytes)
}

// layer marks errors with the container that they are from. It ends with the
// context, as nothing else would end a file of some bytes that unpacks to
// more than anybody can read.
type layer struct {
	ctx  context.Context
	name string
	r    io.Reader
	err  error
}

func (l *layer) Read(p []byte) (n int, err error) {
	if l.err == nil {
		l.err = l.ctx.Err()
	}
	if l.err == nil {
		n, l.err = l.r.Read(p)
		switch {
		case l.err == nil, l.err == io.EOF:
		case l.name == "":
			l.err = &readError{l.err}
		default:
			l.err = containerError(l.name, l.err)
		}
	}
	return n, l.err
}
