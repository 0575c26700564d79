package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"visualizer/schema"
)

// packed is a file to put in an archive.
type packed struct{ name, content string }

func tarOf(t testing.TB, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o644, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		must(t, w.WriteHeader(h))
		_, err := io.WriteString(w, f.content)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

// zipOf makes an archive as programs do that write to a pipe: sizes stand
// behind the files.
func zipOf(t testing.TB, method uint16, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		in, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		must(t, err)
		if f.content != "" {
			_, err = io.WriteString(in, f.content)
			must(t, err)
		}
	}
	must(t, w.Close())
	return b.Bytes()
}

// sizedZip makes an archive as most programs do: sizes stand before the files.
func sizedZip(t testing.TB, method uint16, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		if strings.HasSuffix(f.name, "/") {
			_, err := w.Create(f.name)
			must(t, err)
			continue
		}
		var data bytes.Buffer
		if method == zip.Deflate {
			z, _ := flate.NewWriter(&data, 6)
			io.WriteString(z, f.content)
			must(t, z.Close())
		} else {
			data.WriteString(f.content)
		}
		in, err := w.CreateRaw(&zip.FileHeader{Name: f.name, Method: method, CRC32: crc32.ChecksumIEEE([]byte(f.content)),
			CompressedSize64: uint64(data.Len()), UncompressedSize64: uint64(len(f.content))})
		must(t, err)
		_, err = in.Write(data.Bytes())
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// archives are the ways to make one.
var archives = []struct {
	name string
	make func(testing.TB, ...packed) []byte
}{
	{"tar", tarOf},
	{"zip", func(t testing.TB, f ...packed) []byte { return zipOf(t, zip.Deflate, f...) }},
	{"stored zip", func(t testing.TB, f ...packed) []byte { return zipOf(t, zip.Store, f...) }},
	{"sized zip", func(t testing.TB, f ...packed) []byte { return sizedZip(t, zip.Deflate, f...) }},
	{"sized stored zip", func(t testing.TB, f ...packed) []byte { return sizedZip(t, zip.Store, f...) }},
	{"split zip", func(t testing.TB, f ...packed) []byte {
		return append([]byte(zipSplit), zipOf(t, zip.Deflate, f...)...)
	}},
	{"tar.gz", func(t testing.TB, f ...packed) []byte { return gz(t, string(tarOf(t, f...))) }},
	{"tar.zst", func(t testing.TB, f ...packed) []byte { return zst(t, string(tarOf(t, f...))) }},
	{"zip in a tar", func(t testing.TB, f ...packed) []byte {
		return tarOf(t, packed{"a", string(zipOf(t, zip.Deflate, f...))})
	}},
	{"zip in a stored zip", func(t testing.TB, f ...packed) []byte {
		return zipOf(t, zip.Store, packed{"a", string(zipOf(t, zip.Store, f...))})
	}},
	{"tar in a zip", func(t testing.TB, f ...packed) []byte {
		return zipOf(t, zip.Deflate, packed{"a", string(tarOf(t, f...))})
	}},
	{"day in a month", func(t testing.TB, f ...packed) []byte {
		return gz(t, string(tarOf(t, packed{"a", string(gz(t, string(tarOf(t, f...))))})))
	}},
}

// readings are the ways to read one.
var readings = []struct {
	name string
	open func(testing.TB, []byte) Source
}{
	{"file", func(t testing.TB, b []byte) Source {
		f, err := Open(filepath.Join(tree(t, map[string]string{"in": string(b)}), "in"))
		must(t, err)
		return f
	}},
	{"stream", func(_ testing.TB, b []byte) Source { return NewReader("in", bytes.NewReader(b)) }},
	{"stream in pieces", func(_ testing.TB, b []byte) Source { return NewReader("in", &pieces{b: b}) }},
}

// pieces reads a few bytes a time.
type pieces struct {
	b []byte
	n int
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	p.n = p.n%7 + 1
	n := copy(to[:min(p.n, len(to))], p.b)
	p.b = p.b[n:]
	return n, nil
}

func bz(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(casesDir, "24_multistream.jsonl.bz2"))
	must(t, err)
	return string(b)
}

const bzTweets = "tweet 1635573202396643335; tweet 1635573206590947336; tweet 1635573210785251337"

func TestArchives(t *testing.T) {
	damaged := gz(t, line1+line2)
	damaged[len(damaged)-8] ^= 1 // the checksum
	table := strings.Repeat("7,\"a\",[]\n", 1000)
	for _, tt := range []struct {
		name  string
		files []packed
		want  string
	}{
		{"empty file", []packed{{"a", ""}}, ""},
		{"as the Internet Archive has them", []packed{
			{"2022/", ""}, {"2022/01/01/00/00.json.bz2", bz(t)}, {"2022/01/01/00/01.json.gz", string(gz(t, line1))},
			{"2022/01/01/00/02.jsonl", line2}, {"2022/01/01/00/03.zst", string(zst(t, line3))},
		}, bzTweets + "; tweet 1; tweet 2; tweet 3"},
		{"no line's end between files", []packed{{"a", `{"id":"1","text":""}`}, {"b", line2}}, "tweet 1; tweet 2"},
		{"UTF-16", []packed{{"a", string(utf16Text(line1, false))}}, "tweet 1"},
		{"hidden and added files", []packed{
			{".DS_Store", "\x00\x00\x00\x01Bud1"}, {"./a", line1}, {"./.git/x", line2}, {"__MACOSX/._a", "\x00\x05\x16\x07"}, {"b/..c", line2}, {"c", line2},
		}, "tweet 1; tweet 2"},
		{"other files", []packed{
			{"0.csv", table}, {"README", "Tweets of a day\n\nnobody\nknows\n"}, {"a", line1},
			{"p.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\n{\n[]\n" + strings.Repeat("\xff\n", 99)}, {"z", line2},
		}, "not_tweet; blank ; not_tweet; tweet 1; not_tweet; tweet 2"},
		{"damaged file", []packed{{"a", string(damaged)}, {"b", string(cutGzip(t))}, {"c", "BZhx"}, {"d", line3}},
			"tweet 1; tweet 2; bad_container; tweet 1; tweet 2; bad_container; bad_container; tweet 3"},
		{"bad lines", []packed{{"a", "hello\n" + line1 + "x\n"}, {"b", "{\"id\":\n{\"id\"\n"}, {"c", "x"}, {"d", line2}},
			"bad_json; tweet 1; bad_json; bad_json; bad_json; bad_json; tweet 2"},
		{"users", []packed{{"a", strings.Repeat(`{"id":"1","username":"a"}`+"\n", 3)}}, "not_tweet; not_tweet; not_tweet"},
	} {
		for _, a := range archives {
			data := a.make(t, tt.files...)
			for _, r := range readings {
				t.Run(tt.name+"/"+a.name+"/"+r.name, func(t *testing.T) {
					s := r.open(t, data)
					if got := outcomeOf(s); got != tt.want {
						t.Errorf("got %s, want %s", got, tt.want)
					}
					if f, ok := s.(*Files); ok && f.Read() != f.Size() {
						t.Errorf("Read() = %d, Size() = %d", f.Read(), f.Size())
					}
				})
			}
		}
	}
}

// What a zip archive holds that is compressed by other methods is unpacked for
// what it is.
func TestZipMethods(t *testing.T) {
	for _, tt := range []struct {
		name   string
		method uint16
		data   string
		want   string
	}{
		{"zstd", zipZstd, string(zst(t, line1+line2)), "tweet 1; tweet 2; tweet 3"},
		{"bzip2", zipBzip2, bz(t), bzTweets + "; tweet 3"},
		{"Deflate64", 9, "?", "bad_container; tweet 3"},
	} {
		for _, flags := range []uint16{0, 8} {
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			in, err := w.CreateRaw(&zip.FileHeader{Name: "a", Method: tt.method, Flags: flags,
				CompressedSize64: uint64(len(tt.data)), UncompressedSize64: 9})
			must(t, err)
			_, err = io.WriteString(in, tt.data)
			must(t, err)
			in, err = w.Create("b")
			must(t, err)
			_, err = io.WriteString(in, line3)
			must(t, err)
			must(t, w.Close())
			for _, r := range readings {
				t.Run(fmt.Sprintf("%s/%d/%s", tt.name, flags, r.name), func(t *testing.T) {
					if got := outcomeOf(r.open(t, b.Bytes())); got != tt.want {
						t.Errorf("got %s, want %s", got, tt.want)
					}
				})
			}
		}
	}
}

// places shows where a source found tweets bad, and what it said of them.
func places(s Source) (out []string) {
	for _, err := range s.Events(context.Background()) {
		if r, ok := errors.AsType[*Rejected](err); ok {
			out = append(out, r.Error())
		}
	}
	return out
}

func TestArchiveNames(t *testing.T) {
	day := tarOf(t, packed{"./2022/01/01/00/00.json.gz", string(cutGzip(t))}, packed{"b\xff.csv", "a,b\nc,d\n"}, packed{strings.Repeat("é", 300), "x"})
	for _, a := range []struct {
		name string
		data []byte
		at   string
	}{
		{"tar", day, "in"},
		{"tar.gz", gz(t, string(day)), "in"},
		{"zip", zipOf(t, zip.Deflate, packed{"01.tar", string(day)}), "in!01.tar"},
	} {
		t.Run(a.name, func(t *testing.T) {
			same(t, "rejected", places(NewReader("in", bytes.NewReader(a.data))), []string{
				a.at + "!2022/01/01/00/00.json.gz:3: bad_container: gzip: unexpected EOF",
				a.at + "!b\uFFFD.csv:1: not_tweet: 2 records in a row that are no JSON objects; the first: 'a' is not expected after 0 bytes of the value",
				a.at + "!" + strings.Repeat("é", 256) + "…:1: bad_json: the value is cut",
			})
		})
	}
}

// Files in a zip archive are read in the order of their names where there is a
// directory, in a tar archive as they stand.
func TestArchiveOrder(t *testing.T) {
	files := []packed{{"2", line2}, {"3", line3}, {"1", line1}}
	for _, tt := range []struct {
		name string
		data []byte
		want []string // by reading
	}{
		{"tar", tarOf(t, files...), []string{"tweet 2; tweet 3; tweet 1", "tweet 2; tweet 3; tweet 1"}},
		{"zip", zipOf(t, zip.Deflate, files...), []string{"tweet 1; tweet 2; tweet 3", "tweet 2; tweet 3; tweet 1"}},
	} {
		for i, want := range tt.want {
			if got := outcomeOf(readings[i].open(t, tt.data)); got != want {
				t.Errorf("%s as a %s: got %s, want %s", tt.name, readings[i].name, got, want)
			}
		}
	}
}

// A folder holds any of them, and what nobody named is judged by its content.
func TestFolderOfArchives(t *testing.T) {
	root := tree(t, map[string]string{
		"2022/01.tar": string(tarOf(t, packed{"a", line1})), "2022/02.zip": string(zipOf(t, zip.Deflate, packed{"a", line2})),
		"2022/03.json.bz2": bz(t), "README": "a\nb\nc\n", "x.jsonl": "x\n" + line3,
	})
	f, err := Open(root)
	must(t, err)
	if got, want := outcomeOf(f), "tweet 1; tweet 2; "+bzTweets+"; not_tweet; bad_json; tweet 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if f.Read() != f.Size() {
		t.Errorf("Read() = %d, Size() = %d", f.Read(), f.Size())
	}
	named, err := Open(filepath.Join(root, "README"))
	must(t, err)
	if got, want := outcomeOf(named), "bad_json; bad_json; bad_json"; got != want {
		t.Errorf("named: got %s, want %s", got, want)
	}
}

// A file that is not of tweets doesn't hide what follows in it.
func TestDoubtEnds(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
	}{
		{"few bad lines", "a\n1\n" + line1 + "b\n", "bad_json; not_tweet; tweet 1; bad_json"},
		{"many bad lines", strings.Repeat("a\n", maxDoubt+1) + line1 + "b\n", "not_tweet; tweet 1; bad_json"},
		{"control message", "a\n" + `{"limit":{"track":1}}` + "\nb", "bad_json; control limit; bad_json"},
		{"bad tweet", "a\n" + `{"id":"x","text":""}` + "\nb", "bad_json; invalid_tweet; bad_json"},
		{"none", "a\n\n\nb", "blank ; blank ; not_tweet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := outcomeOf(NewReader("in", bytes.NewReader(tarOf(t, packed{"a", tt.in})))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Cut at any byte, a container gives the lines before and tells once that it
// is damaged.
func TestCutAnywhere(t *testing.T) {
	files := []packed{
		{"one", line1 + `{"id":"2","text":"` + strings.Repeat("PK\x07\x08PK", 9) + `"}` + "\n"},
		{"two/", ""}, {"two/3", string(gz(t, line3))},
	}
	files[0].content = strings.ReplaceAll(files[0].content, "\x07\x08", "\\u0007\\b")
	const all = "tweet 1; tweet 2; tweet 3"
	type whole struct {
		name string
		data []byte
	}
	wholes := []whole{
		{"gzip", gz(t, line1, files[0].content[len(line1):], line3)},
		{"zstd", zst(t, line1, files[0].content[len(line1):], line3)},
	}
	for _, a := range archives {
		wholes = append(wholes, whole{a.name, a.make(t, files...)})
	}
	for i, w := range wholes {
		for _, r := range readings[1:] {
			t.Run(w.name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				if len(w.data) > 1000 && r.name != "stream" {
					return // the blocks of tar are many, and each is read whole
				}
				for n := range len(w.data) + 1 {
					got := outcomeOf(r.open(t, w.data[:n]))
					tweets, bad, _ := strings.Cut(got, "bad_")
					if !strings.HasPrefix(all, strings.TrimSuffix(tweets, "; ")) || bad != "" && bad != "container" && (bad != "json" || n >= 263) {
						t.Fatalf("cut at %d of %d: %s", n, len(w.data), got)
					}
					boundary := i < 2 // which nothing tells from the end
					if bad == "" && tweets != all && n > 0 && !boundary || n == len(w.data) && got != all {
						t.Fatalf("cut at %d of %d: %s", n, len(w.data), got)
					}
				}
			})
		}
	}
}

// The same of files, whose zip archives then have no directory.
func TestCutZipFile(t *testing.T) {
	data := zipOf(t, zip.Deflate, packed{"1", line1}, packed{"2", line2})
	for n := 4; n < len(data); n++ {
		f := readings[0].open(t, data[:n]).(*Files)
		got := outcomeOf(f)
		if want := "bad_container"; !strings.HasSuffix(got, want) || !strings.HasPrefix("tweet 1; tweet 2; "+want, strings.TrimSuffix(got, want)) {
			t.Fatalf("cut at %d of %d: %s", n, len(data), got)
		}
		if f.Read() != f.Size() {
			t.Fatalf("cut at %d: Read() = %d, Size() = %d", n, f.Read(), f.Size())
		}
	}
}

// A flipped bit costs a file at most, and what can't be told apart from it.
func TestFlippedBits(t *testing.T) {
	files := []packed{{"1", line1}, {"2", line2}, {"3", line3}}
	for _, a := range archives[:5] {
		for _, r := range readings[:2] {
			t.Run(a.name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				data := a.make(t, files...)
				step := 1 + len(data)/600
				for i := 0; i < len(data); i += step {
					if i < 4 || i >= 257 && i < 263 { // nothing tells what it is any more
						continue
					}
					flipped := slices.Clone(data)
					flipped[i] ^= 0x10
					got := outcomeOf(r.open(t, flipped))
					lost := a.name != "tar" && r.name == "stream" // a wrong size takes all behind it
					if n := strings.Count(got, "tweet "); n < 2 && !lost {
						t.Errorf("flipped at %d of %d: %s", i, len(data), got)
					}
					if n := strings.Count(got, "bad_container"); n > 1 {
						t.Errorf("flipped at %d of %d: %s", i, len(data), got)
					}
				}
			})
		}
	}
}

func TestTarOddities(t *testing.T) {
	a, b := tarOf(t, packed{"a", line1}), tarOf(t, packed{"b", line2})
	old := slices.Clone(a) // before there was a mark
	copy(old[257:265], make([]byte, 8))
	sum := 0
	copy(old[148:156], "        ")
	for _, c := range old[:tarBlock] {
		sum += int(c)
	}
	copy(old[148:156], fmt.Sprintf("%06o\x00 ", sum))
	badHeader := slices.Concat(a[:1024], b[:1024], a)
	badHeader[1024] ^= 1
	long := tarOf(t, packed{strings.Repeat("long/", 60) + "a", line1})
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"joined", slices.Concat(a, b), "tweet 1; tweet 2"},
		{"joined gzip members", slices.Concat(gz(t, string(a)), gz(t, string(b))), "tweet 1; tweet 2"},
		{"old header", old, "tweet 1"},
		{"no end", a[:1024], "tweet 1; bad_container"},
		{"one zero block", a[:1536], "tweet 1"},
		{"garbage behind", append(slices.Clone(a), "garbage"...), "tweet 1; bad_container"},
		{"damaged header", badHeader, "tweet 1; bad_container; tweet 1"},
		{"long name", long, "tweet 1"},
		{"no file", tarOf(t), "blank "}, // nothing tells it from text that a crash left
		{"name like JSON", tarOf(t, packed{"[1].jsonl", line1}), "tweet 1"},
		{"sparse file", sparseTar(t), "bad_container; tweet 2"},
		{"links", linkTar(t), "tweet 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := outcomeOf(NewReader("in", bytes.NewReader(tt.in))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// sparseTar holds a file of 8 EiB, all of it a hole, and another.
func sparseTar(t *testing.T) []byte {
	t.Helper()
	block := make([]byte, tarBlock)
	copy(block, "hole")
	copy(block[100:], "0000644\x000000000\x000000000\x0000000000000\x0000000000000\x00        S")
	copy(block[257:], "ustar  \x00")
	copy(block[386:], "00000000000\x0000000000000\x00")
	copy(block[483:], "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff")
	sum := 0
	for _, c := range block {
		sum += int(c)
	}
	copy(block[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(block, tarOf(t, packed{"b", line2})...)
}

func linkTar(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "dir/", Typeflag: tar.TypeDir}, {Name: "s", Linkname: "a", Typeflag: tar.TypeSymlink},
		{Name: "h", Linkname: "a", Typeflag: tar.TypeLink}, {Name: "p", Typeflag: tar.TypeFifo},
		{Name: "a", Size: int64(len(line1)), Typeflag: tar.TypeReg},
	} {
		must(t, w.WriteHeader(&h))
		if h.Size > 0 {
			_, err := io.WriteString(w, line1)
			must(t, err)
		}
	}
	must(t, w.Close())
	return b.Bytes()
}

// A disk that fails within an archive ends the source.
func TestReadErrorInArchive(t *testing.T) {
	for _, a := range archives {
		data := a.make(t, packed{"a", line1}, packed{"b", line2})
		r := io.MultiReader(bytes.NewReader(data[:len(data)-30]), errReader{})
		if got := outcomeOf(NewReader("in", r)); !strings.Contains(got, "input/output error") || strings.Contains(got, string(schema.BadContainer)) {
			t.Errorf("%s: %s", a.name, got)
		}
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("input/output error") }

// A consumer may stop within an archive.
func TestStopInArchive(t *testing.T) {
	for _, a := range archives {
		data := a.make(t, packed{"a", line1 + line2}, packed{"b", "BZhx"}, packed{"c", line3})
		for _, r := range readings {
			for stop := 1; stop <= 4; stop++ {
				n := 0
				for range r.open(t, data).Events(t.Context()) {
					if n++; n == stop {
						break
					}
				}
				if n != stop {
					t.Errorf("%s as a %s: %d events", a.name, r.name, n)
				}
			}
		}
	}
}
