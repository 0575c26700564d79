package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"visualizer/schema"
)

// gz compresses texts, each as a member of its own.
func gz(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, m := range members {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, m); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// zst compresses texts, each as a frame of its own.
func zst(t testing.TB, frames ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, f := range frames {
		z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(z, f); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// skippable is a frame of zstd that holds no data.
var skippable = []byte("\x5a\x2a\x4d\x18\x03\x00\x00\x00abc")

// layers compresses line1 n times.
func layers(t testing.TB, n int) []byte {
	b := []byte(line1)
	for range n {
		b = gz(t, string(b))
	}
	return b
}

// utf16Text encodes a text as UTF-16 with its byte order mark.
func utf16Text(text string, bigEndian bool) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
		if bigEndian {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

// outcomeOf shows what a source delivered, in order, and the error that ended
// it.
func outcomeOf(s Source) string {
	var parts []string
	for e, err := range s.Events(context.Background()) {
		switch r, ok := errors.AsType[*Rejected](err); {
		case ok:
			parts = append(parts, string(r.Reason))
		case err != nil:
			parts = append(parts, err.Error())
		default:
			parts = append(parts, summary([]schema.Event{e}, nil))
		}
	}
	return strings.Join(parts, "; ")
}

const (
	line1 = `{"id":"1","text":"a 😀"}` + "\n"
	line2 = `{"id":"2","text":"b"}` + "\n"
	line3 = `{"id":"3","text":"c"}` + "\n"
)

func TestContainers(t *testing.T) {
	multi := gz(t, line1, line2, line3)
	damagedSum := gz(t, line1+line2)
	damagedSum[len(damagedSum)-8] ^= 1
	damagedZstd := zst(t, line1+line2)
	damagedZstd[len(damagedZstd)-1] ^= 1
	bz, err := os.ReadFile(filepath.Join(casesDir, "24_multistream.jsonl.bz2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"plain", []byte(line1 + line2), "tweet 1; tweet 2"},
		{"empty", nil, ""},
		{"one byte", []byte("1"), "not_tweet"},
		{"UTF-8 with its mark", []byte("\xef\xbb\xbf" + line1), "tweet 1"},
		{"UTF-16LE", utf16Text(line1+line2, false), "tweet 1; tweet 2"},
		{"UTF-16BE", utf16Text(line1+line2, true), "tweet 1; tweet 2"},
		{"gzip of UTF-16LE", gz(t, string(utf16Text(line1, false))), "tweet 1"},
		{"gzip, all members", multi, "tweet 1; tweet 2; tweet 3"},
		{"gzip of nothing", gz(t, ""), ""},
		{"gzip of gzip", gz(t, string(gz(t, line1))), "tweet 1"},
		{"as many layers as allowed", layers(t, maxContainers), "tweet 1"},
		{"too many layers", layers(t, maxContainers+1), "bad_container"},
		{"gzip cut in the checksum", multi[:len(multi)-3], "tweet 1; tweet 2; tweet 3; bad_container"},
		{"gzip cut in a line", cutGzip(t), "tweet 1; tweet 2; bad_container"},
		{"gzip with a damaged checksum", damagedSum, "tweet 1; tweet 2; bad_container"},
		{"gzip with garbage behind", append(gz(t, line1), "garbage"...), "tweet 1; bad_container"},
		{"gzip header only", []byte("\x1f\x8b"), "bad_container"},
		{"bzip2, all streams", bz, "tweet 1635573202396643335; tweet 1635573206590947336; tweet 1635573210785251337"},
		{"bzip2 cut", bz[:len(bz)-5], "tweet 1635573202396643335; tweet 1635573206590947336; tweet 1635573210785251337; bad_container"},
		{"bzip2 cut in a stream", bz[:len(bz)-60], "tweet 1635573202396643335; tweet 1635573206590947336; bad_container"},
		{"bzip2 header only", []byte("BZh"), "bad_container"},
		{"text that begins like bzip2", []byte("BZhello"), "bad_container"},
		{"zstd, all frames", zst(t, line1, line2, line3), "tweet 1; tweet 2; tweet 3"},
		{"zstd of nothing", zst(t, ""), ""},
		{"zstd of zstd", zst(t, string(zst(t, line1))), "tweet 1"},
		{"zstd with skippable frames", slices.Concat(skippable, zst(t, line1), skippable, zst(t, line2), skippable), "tweet 1; tweet 2"},
		{"zstd skippable frame only", skippable, ""},
		{"zstd cut in the checksum", zst(t, line1+line2)[:len(zst(t, line1+line2))-2], "tweet 1; tweet 2; bad_container"},
		{"zstd with a damaged checksum", damagedZstd, "tweet 1; tweet 2; bad_container"},
		{"zstd cut in the second frame", slices.Concat(zst(t, line1), zst(t, line2)[:12]), "tweet 1; bad_container"},
		{"zstd with garbage behind", append(zst(t, line1), "garbage"...), "tweet 1; bad_container"},
		{"zstd header only", []byte("\x28\xb5\x2f\xfd"), "bad_container"},
		{"zstd with too large a window", []byte("\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00"), "bad_container"},
		{"zstd frame without a window, too large", []byte("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\x00\x00\x00\x01\x00\x00"), "bad_container"},
		{"xz", []byte("\xfd7zXZ\x00\n\n\n"), "bad_container"},
		{"gzip of zstd of gzip", gz(t, string(zst(t, string(gz(t, line1))))), "tweet 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := outcomeOf(NewReader("in", bytes.NewReader(tt.in))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// cutGzip returns a member that ends within its third line.
func cutGzip(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, line1+line2+`{"id":"3","te`)
	if err := z.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A disk that fails is no damage of the container: it ends the source.
func TestReadErrorEndsSource(t *testing.T) {
	broken := iotest.ErrReader(errors.New("input/output error"))
	for _, tt := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"at once", broken, "read in: input/output error"},
		{"plain", io.MultiReader(strings.NewReader(line1+`{"id":`), broken), "tweet 1; read in: input/output error"},
		{"gzip", io.MultiReader(bytes.NewReader(cutGzip(t)), broken), "tweet 1; tweet 2; read in: input/output error"},
		{"gzip header", io.MultiReader(strings.NewReader("\x1f\x8b"), broken), "read in: input/output error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := outcomeOf(NewReader("in", tt.in)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestRejectedNamesFileAndLine(t *testing.T) {
	for _, err := range NewReader("tweets.jsonl", strings.NewReader("\n\nhello\n")).Events(context.Background()) {
		if err == nil {
			continue
		}
		if want := `tweets.jsonl:3: bad_json: 'h' is not expected after 0 bytes of the value`; err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

// A consumer may stop at any event or reject.
func TestStopEarly(t *testing.T) {
	in := line1 + `{"data":[{"id":"2","text":"a"},{"id":"x"},{"id":"3","text":"b"},5]}` + "\nhello\n[1,2]\n" + line1
	for stop := 1; ; stop++ {
		n := 0
		for range NewReader("in", strings.NewReader(in)).Events(context.Background()) {
			if n++; n == stop {
				break
			}
		}
		if n < stop {
			break
		}
	}
}
