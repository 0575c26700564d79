package source

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

const (
	bigHead  = `{"limit":{"track":1}}` + "\n"
	bigLine  = 100 << 10
	bigLines = 100 // of a file, behind its head
	bigSize  = len(bigHead) + bigLine*bigLines
	bigFiles = 30 // of an archive, so that it has 300 MB
)

// bigFile is the content of each file: lines that are soon judged.
func bigFile() io.Reader {
	return io.MultiReader(strings.NewReader(bigHead), repeated(`"`+strings.Repeat("x", bigLine-3)+`"`+"\n", bigLines))
}

// bigTarGz is compressed file by file, each as a gzip member of its own, so
// that one is compressed for all.
func bigTarGz(t testing.TB, to io.Writer) {
	var one bytes.Buffer
	z, err := gzip.NewWriterLevel(&one, 1)
	must(t, err)
	w := tar.NewWriter(z)
	must(t, w.WriteHeader(&tar.Header{Name: "a", Size: int64(bigSize), Mode: 0o644}))
	_, err = io.Copy(w, bigFile())
	must(t, err)
	must(t, w.Flush())
	must(t, z.Close())
	for range bigFiles {
		_, err := to.Write(one.Bytes())
		must(t, err)
	}
	_, err = to.Write(gz(t, string(make([]byte, 2*tarBlock))))
	must(t, err)
}

func bigZip(t testing.TB, to io.Writer) {
	var one bytes.Buffer
	z, err := flate.NewWriter(&one, 1)
	must(t, err)
	sum := crc32.NewIEEE()
	_, err = io.Copy(io.MultiWriter(z, sum), bigFile())
	must(t, err)
	must(t, z.Close())
	w := zip.NewWriter(to)
	for i := range bigFiles {
		in, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i), Method: zip.Deflate, CRC32: sum.Sum32(),
			CompressedSize64: uint64(one.Len()), UncompressedSize64: uint64(bigSize)})
		must(t, err)
		_, err = in.Write(one.Bytes())
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
		{"tar.gz", bigTarGz},
		{"zip", bigZip},
	} {
		name := filepath.Join(t.TempDir(), "in")
		file, err := os.Create(name)
		must(t, err)
		tt.write(t, file)
		must(t, file.Close())
		for _, stream := range []bool{false, true} {
			if stream && tt.name != "zip" {
				continue // is read no other way
			}
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
		if _, ok := errors.AsType[*Rejected](err); !ok {
			must(t, err)
		}
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
	if n != (1+bigLines)*bigFiles || !stream && f.Read() != f.Size() {
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
