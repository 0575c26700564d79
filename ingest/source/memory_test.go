package source

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	bigLine  = 100 << 10
	bigLines = 100 // of a file
	bigFiles = 30  // of an archive, so that it has 300 MB
)

// bigFile is the content of each file.
func bigFile() io.Reader {
	return repeated(`{"filler":"`+strings.Repeat("x", bigLine-14)+`"}`+"\n", bigLines)
}

func bigTar(t testing.TB, to io.Writer) {
	w := tar.NewWriter(to)
	for i := range bigFiles {
		must(t, w.WriteHeader(&tar.Header{Name: fmt.Sprint(i), Size: bigLine * bigLines, Mode: 0o644}))
		_, err := io.Copy(w, bigFile())
		must(t, err)
	}
	must(t, w.Close())
}

func bigZip(t testing.TB, to io.Writer) {
	w := zip.NewWriter(to)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, 1) })
	for i := range bigFiles {
		in, err := w.Create(fmt.Sprint(i))
		must(t, err)
		_, err = io.Copy(in, bigFile())
		must(t, err)
	}
	must(t, w.Close())
}

// Large archives take no more memory than small ones.
func TestArchiveMemory(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(testing.TB, io.Writer)
	}{
		{"tar.gz", func(t testing.TB, to io.Writer) {
			z, err := gzip.NewWriterLevel(to, 1)
			must(t, err)
			bigTar(t, z)
			must(t, z.Close())
		}},
		{"tar.zst", func(t testing.TB, to io.Writer) {
			z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
			must(t, err)
			bigTar(t, z)
			must(t, z.Close())
		}},
		{"zip", bigZip},
	} {
		name := filepath.Join(t.TempDir(), "in")
		file, err := os.Create(name)
		must(t, err)
		tt.write(t, file)
		must(t, file.Close())
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", tt.name, stream), func(t *testing.T) {
				f, err := Open(name)
				must(t, err)
				src := Source(f)
				if stream {
					in, err := os.Open(name)
					must(t, err)
					defer in.Close()
					src = NewReader("in", bufio.NewReader(in))
				}
				checkMemory(t, src, f, stream)
			})
		}
	}
}

// checkMemory reads all of a large archive and looks at the memory meanwhile.
func checkMemory(t *testing.T, src Source, f *Files, stream bool) {
	const most = 64 << 20
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, n, read := m.HeapAlloc, 0, int64(0)
	for _, err := range src.Events(t.Context()) {
		must(t, err)
		if n++; n%bigLines != 0 {
			continue
		}
		if runtime.ReadMemStats(&m); m.HeapAlloc > before+most {
			t.Fatalf("%d MiB of memory in use, %d before", m.HeapAlloc>>20, before>>20)
		}
		if f.Read() < read || f.Read() > f.Size() {
			t.Errorf("Read() = %d after %d, Size() = %d", f.Read(), read, f.Size())
		}
		read = f.Read()
	}
	if n != bigLines*bigFiles || !stream && f.Read() != f.Size() {
		t.Errorf("%d events; Read() = %d, Size() = %d", n, f.Read(), f.Size())
	}
}

// An archive with too large a directory is read without it.
func TestLargeDirectory(t *testing.T) {
	folder := strings.Repeat("x", 500) + "/"
	files := make([]packed, 0, maxDirectory/500+2)
	files = append(files, packed{"b", line1})
	for range maxDirectory / 500 {
		files = append(files, packed{folder, ""})
	}
	data := zipOf(t, zip.Store, append(files, packed{"a", line2})...)
	if got, want := outcomeOf(readings[0].open(t, data)), "tweet 1; tweet 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
