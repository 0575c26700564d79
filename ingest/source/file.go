package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"visualizer/schema"
)

// Files is a source of one file or several, read one behind the other.
type Files struct {
	name  string
	paths []path
	size  int64
	read  atomic.Int64
	stdin io.Reader
}

// path is a file to read.
type path struct {
	name  string
	found bool // in a folder, so that nobody said that it is of tweets
}

const (
	stdinArg  = "-"     // means standard input
	stdinName = "stdin" // is its name
)

// Open returns the source that arg names: "-" for standard input, a file, all
// files of a folder, or those that match a pattern, in the order of their
// names. An error names the file that can't be read.
func Open(arg string) (*Files, error) {
	f := &Files{name: arg, stdin: os.Stdin}
	if arg == stdinArg {
		f.name, f.paths = stdinName, []path{{name: stdinArg}}
		return f, nil
	}
	var err error
	if f.paths, err = expand(arg); err != nil {
		return nil, err
	}
	for _, p := range f.paths {
		size, err := probe(p.name)
		if err != nil {
			return nil, err
		}
		f.size += size
	}
	return f, nil
}

// expand returns the files that arg names.
func expand(arg string) ([]path, error) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return folder(arg)
	case err == nil || !strings.ContainsAny(arg, `*?[`):
		return []path{{name: arg}}, nil // probe reports what is wrong with it
	}
	paths, err := filepath.Glob(arg)
	if err == nil && len(paths) == 0 {
		err = errors.New("no file matches")
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", arg, err)
	}
	var files []path
	for _, name := range paths {
		in, err := expand(name)
		if err != nil {
			return nil, err
		}
		files = append(files, in...)
	}
	return files, nil
}

// folder returns the regular files within a folder and its folders, without
// hidden ones, in the order of their names.
func folder(root string) ([]path, error) {
	var files []path
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != root && passedOver(e.Name()):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() { // a link counts as what it leads to
			files = append(files, path{name: name, found: true})
		}
		return nil
	})
	if err != nil {
		return nil, openError(root, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("open %s: no files in this folder", root)
	}
	slices.SortFunc(files, func(a, b path) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// probe returns the size of a file that can be read.
func probe(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, openError(name, err)
	}
	if !info.Mode().IsRegular() { // a pipe would wait for its writer
		return 0, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return 0, openError(name, err)
	}
	return info.Size(), file.Close()
}

// openError says "open", whichever call found that the file can't be opened.
func openError(name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("open %s: %w", name, err)
}

// Name returns what was given to Open, or "stdin".
func (f *Files) Name() string { return f.name }

// Size returns how many bytes the files have on disk; 0 where that is unknown.
func (f *Files) Size() int64 { return f.size }

// Read returns how many of these bytes have been read by now. It may be called
// while Events runs.
func (f *Files) Read() int64 { return f.read.Load() }

// Events yields the records of all files. It may be called again, and begins
// anew; standard input goes on where it was.
func (f *Files) Events(ctx context.Context) iter.Seq2[schema.Event, error] {
	return func(yield func(schema.Event, error) bool) {
		f.read.Store(0)
		for _, p := range f.paths {
			if !f.events(ctx, p, yield) {
				return
			}
		}
	}
}

// events yields the records of one file. It reports whether the next one may
// follow.
func (f *Files) events(ctx context.Context, p path, yield yielder) bool {
	u := unpacker{ctx: ctx, yield: yield}
	if p.name == stdinArg {
		in, stop := interruptible(ctx, f.stdin)
		defer stop()
		return u.read(input{name: stdinName, r: u.layer("", &meter{r: in, read: &f.read}), window: maxWindow})
	}
	file, err := openWithin(ctx, p.name)
	if err != nil {
		if ctx.Err() == nil {
			yield(schema.Event{}, openError(p.name, err))
		}
		return false
	}
	defer file.Close()
	stop := context.AfterFunc(ctx, func() { file.Close() }) // ends waiting for a pipe
	defer stop()
	m := &meter{r: file, read: &f.read}
	in := input{name: p.name, r: u.layer("", m), found: p.found, window: maxWindow}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		m.at, m.left, m.sized = file, info.Size(), true
		in.file = io.NewSectionReader(m, 0, info.Size())
	}
	ok := u.read(in)
	if ok {
		m.finish()
	}
	return ok
}

// openWithin opens a file. Opening a pipe waits for its writer, which ends with
// ctx: then this side plays the writer for a moment.
func openWithin(ctx context.Context, name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		defer context.AfterFunc(ctx, func() {
			if w, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				w.Close()
			}
		})()
	}
	file, err := os.Open(name)
	if err == nil && ctx.Err() != nil {
		file.Close()
		return nil, ctx.Err()
	}
	return file, err
}

// interruptible returns a reader of r that ends with ctx, or with stop. A
// goroutine waits in r until that delivers or ends: nothing else can interrupt
// reading a terminal.
func interruptible(ctx context.Context, r io.Reader) (in io.Reader, stop func()) {
	pr, pw := io.Pipe()
	go func() {
		_, err := io.Copy(pw, r)
		pw.CloseWithError(err)
	}()
	release := context.AfterFunc(ctx, func() { pw.CloseWithError(ctx.Err()) })
	return pr, func() {
		release()
		pr.Close()
	}
}
