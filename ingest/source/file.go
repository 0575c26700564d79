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

	"visualizer/schema"
)

// Files is a source of one file or several, read one behind the other.
type Files struct {
	name  string
	paths []string
	size  int64
	read  atomic.Int64
	stdin io.Reader
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
		f.name, f.paths = stdinName, []string{stdinArg}
		return f, nil
	}
	var err error
	if f.paths, err = expand(arg); err != nil {
		return nil, err
	}
	for _, path := range f.paths {
		size, err := probe(path)
		if err != nil {
			return nil, err
		}
		f.size += size
	}
	return f, nil
}

// expand returns the files that arg names.
func expand(arg string) ([]string, error) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return folder(arg)
	case err == nil || !strings.ContainsAny(arg, `*?[`):
		return []string{arg}, nil // probe reports what is wrong with it
	}
	paths, err := filepath.Glob(arg)
	if err == nil && len(paths) == 0 {
		err = errors.New("no file matches")
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", arg, err)
	}
	var files []string
	for _, path := range paths {
		in, err := expand(path)
		if err != nil {
			return nil, err
		}
		files = append(files, in...)
	}
	return files, nil
}

// folder returns the regular files within a folder and its folders, without
// hidden ones.
func folder(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // a link counts as what it leads to
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, openError(root, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("open %s: no files in this folder", root)
	}
	slices.Sort(files)
	return files, nil
}

// probe returns the size of a file that can be read.
func probe(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, openError(path, err)
	}
	if !info.Mode().IsRegular() { // a pipe would wait for its writer
		return 0, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, openError(path, err)
	}
	return info.Size(), file.Close()
}

// openError says "open", whichever call found that the file can't be opened.
func openError(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("open %s: %w", path, err)
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
		for _, path := range f.paths {
			if !f.events(ctx, path, yield) {
				return
			}
		}
	}
}

// events yields the records of one file. It reports whether the next one may
// follow.
func (f *Files) events(ctx context.Context, path string, yield yielder) bool {
	if path == stdinArg {
		in, stop := interruptible(ctx, f.stdin)
		defer stop()
		return readContainer(ctx, stdinName, &counter{in, &f.read}, yield)
	}
	file, err := os.Open(path)
	if err != nil {
		yield(schema.Event{}, openError(path, err))
		return false
	}
	defer file.Close()
	stop := context.AfterFunc(ctx, func() { file.Close() }) // ends waiting for a pipe
	defer stop()
	return readContainer(ctx, path, &counter{file, &f.read}, yield)
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
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
