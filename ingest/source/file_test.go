package source

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files into a new folder and returns it.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestOpen(t *testing.T) {
	root := tree(t, map[string]string{
		"a.jsonl": line1, "b/c.jsonl": line2, "b/a.txt": line3, "b/.hidden": line1, ".git/x": line1,
		"odd[1].jsonl": line2, "empty/.keep": "", "__MACOSX/b/c.jsonl": line1,
	})
	for _, tt := range []struct{ name, arg, want string }{
		{"file", "a.jsonl", "tweet 1"},
		{"folder", "b", "tweet 3; tweet 2"},
		{"folder within folders", ".", "tweet 1; tweet 3; tweet 2; tweet 2"},
		{"pattern", "*.jsonl", "tweet 1; tweet 2"},
		{"pattern of folders", "b*", "tweet 3; tweet 2"},
		{"file that looks like a pattern", "odd[1].jsonl", "tweet 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Open(filepath.Join(root, tt.arg))
			if err != nil {
				t.Fatal(err)
			}
			for _, again := range []string{"first", "second"} {
				if got := outcomeOf(f); got != tt.want {
					t.Errorf("%s reading: got %s, want %s", again, got, tt.want)
				}
				if f.Read() != f.Size() || f.Size() == 0 {
					t.Errorf("%s reading: Read() = %d, Size() = %d", again, f.Read(), f.Size())
				}
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	root := tree(t, map[string]string{"empty/.keep": "", "a.jsonl": line1})
	for _, tt := range []struct{ arg, want string }{
		{"missing.jsonl", ": no such file or directory"},
		{"*.csv", ": no file matches"},
		{"[", ": syntax error in pattern"},
		{"empty", ": no files in this folder"},
		{"a.jsonl/x", ": not a directory"},
	} {
		path := filepath.Join(root, tt.arg)
		_, err := Open(path)
		if want := "open " + path + tt.want; err == nil || err.Error() != want {
			t.Errorf("Open(%s) = %v, want %s", tt.arg, err, want)
		}
	}
}

// A damaged file among others is reported under its own name, and the next
// one is read.
func TestFilesGoOnBehindDamage(t *testing.T) {
	root := tree(t, map[string]string{"1.gz": string(cutGzip(t)), "2.jsonl": line3})
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outcomeOf(f), "tweet 1; tweet 2; bad_container; tweet 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	o := collect(t, f)
	if len(o.rejects) != 1 || o.rejects[0].Source != filepath.Join(root, "1.gz") {
		t.Errorf("rejects %v", o.rejects)
	}
}

func TestFileGoneAfterOpen(t *testing.T) {
	root := tree(t, map[string]string{"a.jsonl": line1})
	path := filepath.Join(root, "a.jsonl")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, want := outcomeOf(f), "open "+path+": no such file or directory"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStdin(t *testing.T) {
	f, err := Open("-")
	if err != nil {
		t.Fatal(err)
	}
	f.stdin = strings.NewReader(line1 + line2)
	if got := outcomeOf(f); f.Name() != "stdin" || got != "tweet 1; tweet 2" {
		t.Errorf("%s: %s", f.Name(), got)
	}
}

// Cancelling ends a source that waits for input, without an error.
func TestCancelWhileWaiting(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := &Files{name: stdinName, paths: []path{{name: stdinArg}}, stdin: r}
	go io.WriteString(w, line1)
	n := 0
	for _, err := range f.Events(ctx) {
		if err != nil {
			t.Error(err)
		}
		n++
		cancel()
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
}

// Cancelling ends a file between its records.
func TestCancelBetweenRecords(t *testing.T) {
	f, err := Open(filepath.Join(tree(t, map[string]string{"a": strings.Repeat(line1, 1000), "b": line2}), "*"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range f.Events(ctx) {
		if err != nil {
			t.Error(err)
		}
		n++
		cancel()
	}
	if n != 1 {
		t.Errorf("%d events after cancelling at the first", n)
	}
}

// Files are read in the order of their names, as the hours and minutes of an
// archive are named.
func TestFolderOrder(t *testing.T) {
	root := tree(t, map[string]string{"02/1/1": line1, "02/00/59": line1, "01/23/59": line1, "02/00/00": line1})
	files, err := folder(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 || !slices.IsSortedFunc(files, func(a, b path) int { return strings.Compare(a.name, b.name) }) {
		t.Errorf("files %v", files)
	}
}
