package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"visualizer/schema"
)

// recordsOf reads all records of a text, each as line:value, line:blank or
// line:reason.
func recordsOf(t testing.TB, r io.Reader, oneLine bool) []string {
	t.Helper()
	rec := newRecords(r)
	rec.oneLine = oneLine
	out := []string{}
	for {
		err := rec.next()
		if err == io.EOF {
			return out
		}
		what := ""
		switch {
		case err != nil:
			return append(out, "error "+err.Error())
		case rec.bad != nil:
			what = string(rec.bad.Reason)
		case rec.value == nil:
			what = "blank"
		default:
			what = string(rec.value)
		}
		out = append(out, fmt.Sprintf("%d:%s", rec.at, what))
	}
}

var recordTests = []struct {
	name, in string
	want     []string
}{
	{"nothing", "", []string{}},
	{"one line", "{}\n", []string{"1:{}"}},
	{"no newline at the end", `{"a":1}`, []string{`1:{"a":1}`}},
	{"line ends", "1\r\n2\n\n \t\r\n3", []string{"1:1", "2:2", "3:blank", "4:blank", "5:3"}},
	{"blanks without a line's end", "1\n  ", []string{"1:1", "2:blank"}},
	{"blanks around a value", " \t {\"a\" : 1} \t\r\n", []string{`1:{"a" : 1}`}},
	{"byte order marks", "\xef\xbb\xbf1\n\xef\xbb\xbf2\n", []string{"1:1", "2:2"}},
	{"byte order mark in a line", "1 \xef\xbb\xbf2\n3", []string{"1:1", "1:bad_json", "2:3"}},
	{"NULs between lines", "1\n\x00\x00\x00{}\n", []string{"1:1", "2:{}"}},
	{"NUL in a string", "\"a\x00b\"\n", []string{`1:"a\u0000b"`}},
	{"bad UTF-8", "\"\xff\xfe\xc0\"\n", []string{"1:\"\xff\xfe\xc0\""}},
	{"line separators are no line ends", "\"\u2028\u0085\"\n1", []string{"1:\"\u2028\u0085\"", "2:1"}},
	{"several values a line", `{"a":1}{"b":2} {"c":3}, 4` + "\n5", []string{`1:{"a":1}`, `1:{"b":2}`, `1:{"c":3}`, "1:4", "2:5"}},
	{"trailing commas", "{},\n{},\r\n{}", []string{"1:{}", "2:{}", "3:{}"}},
	{"leading commas", "{}\n,{}\n, {}", []string{"1:{}", "2:{}", "3:{}"}},
	{"two commas", "{},,\n{}", []string{"1:{}", "1:bad_json", "2:{}"}},
	{"unparsable rest", "{} hello {}\n1", []string{"1:{}", "1:bad_json", "2:1"}},
	{"no JSON at all", "<html>\nhello\n", []string{"1:bad_json", "2:bad_json"}},
	{"scalars", "12\nnull\ntrue\n-1.5e+3\n\"x\"\n", []string{"1:12", "2:null", "3:true", "4:-1.5e+3", `5:"x"`}},
	{"no scalars", "01\n+1\n1.\n1e\nnul\nTrue\nNaN\n-", []string{
		"1:bad_json", "2:bad_json", "3:bad_json", "4:bad_json", "5:bad_json", "6:bad_json", "7:bad_json", "8:bad_json"}},
	{"pretty-printed", "{\n  \"a\": [\n    1\n  ]\n}\n{\n}\n", []string{"1:{\n  \"a\": [\n    1\n  ]\n}", "6:{\n}"}},
	{"array", `[{"a":1},[2],3]`, []string{`1:{"a":1}`, "1:2", "1:3"}},
	{"array over lines", "[\n{},\n[],\n\n2\n]\n3", []string{"2:{}", "3:[]", "4:blank", "5:2", "7:3"}},
	{"empty arrays", "[]\n[[]]\n[ ]", []string{"1:[]", "2:[]", "3:[]"}},
	{"bracket too many", "]\n1]\n2", []string{"1:bad_json", "2:1", "2:bad_json", "3:2"}},
	{"array cut", "[1,\n2,\n", []string{"1:1", "2:2", "1:bad_json"}},
	{"element cut", "[1,\n{\"a\":", []string{"1:1", "2:bad_json"}},
	{"cut in a string", "{\"a\":\"\n{}\n", []string{"1:bad_json", "2:{}"}},
	{"cut behind a member", "{\"a\":1,\n{}\n{}", []string{"1:bad_json", "2:{}", "3:{}"}},
	{"cut before a value", "{\"a\":\n{}\n{}\n", []string{"1:bad_json", "2:{}", "3:{}"}},
	{"cut before the last line", "{\"a\":\n{}", []string{"1:bad_json", "2:{}"}},
	{"cut twice", "{\"a\":\n{\"b\":\n{}\n", []string{"1:bad_json", "2:bad_json", "3:{}"}},
	{"cut within an array, lines with commas", "{\"a\":[\n{},\n{},\n", []string{"1:bad_json", "2:{}", "3:{}"}},
	{"cut, text, good", "{\"a\":\nhello\n{}", []string{"1:bad_json", "2:bad_json", "3:{}"}},
	{"broken pretty-printed value", "{\n  \"a\": [\n    tru,\n    {},\n    2\n  ],\n  \"b\": 1\n}\n{}\n",
		[]string{"1:bad_json", "4:{}", "9:{}"}},
	{"broken element of a pretty-printed array", "[\n  {\n    \"a\": 1\n  },\n  {\n    \"b\": x\n  },\n  {\n    \"c\": 3\n  }\n]\n",
		[]string{"2:{\n    \"a\": 1\n  }", "5:bad_json", "8:{\n    \"c\": 3\n  }"}},
	{"indented line behind a cut one", "{\"a\":\n {}\n{}", []string{"1:bad_json", "2:{}", "3:{}"}},
	{"escapes", `"\"\\\/\b\f\n\r\t\u00e9\ud83d"` + "\n" + `"\x"` + "\n" + `"\u12g4"`, []string{
		`1:"\"\\\/\b\f\n\r\t\u00e9\ud83d"`, "2:bad_json", "3:bad_json"}},
	{"control character in a string", "\"a\tb\"\n1", []string{"1:bad_json", "2:1"}},
}

func TestRecords(t *testing.T) {
	for _, tt := range recordTests {
		t.Run(tt.name, func(t *testing.T) {
			same(t, "records", recordsOf(t, strings.NewReader(tt.in), false), tt.want)
			same(t, "byte by byte", recordsOf(t, iotest.OneByteReader(strings.NewReader(tt.in)), false), tt.want)
			same(t, "with the end at once", recordsOf(t, iotest.DataErrReader(strings.NewReader(tt.in)), false), tt.want)
		})
	}
}

// The lines of a live stream stand alone: each is judged at its own end.
func TestRecordsOneLine(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"value over two lines", "{\"a\":\n1}\n{}", []string{"1:bad_json", "2:1", "2:bad_json", "3:{}"}},
		{"array over two lines", "[1,\n2]\n3", []string{"1:1", "1:bad_json", "2:2", "2:bad_json", "3:3"}},
		{"array with a broken element", "[1,x\n3", []string{"1:1", "1:bad_json", "2:3"}},
		{"keep-alives", "\r\n{}\r\n\r\n", []string{"1:blank", "2:{}", "3:blank"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			same(t, "records", recordsOf(t, strings.NewReader(tt.in), true), tt.want)
		})
	}
}

// A value is delivered once it is complete: a live stream may not send the
// line's end before the next tweet.
func TestRecordsDoNotWait(t *testing.T) {
	r, w := io.Pipe()
	go io.WriteString(w, `{"a":1}`)
	rec := newRecords(r)
	if err := rec.next(); err != nil || string(rec.value) != `{"a":1}` {
		t.Errorf("next() = %q, %v", rec.value, err)
	}
	w.Close()
}

func TestRecordsDepth(t *testing.T) {
	nested := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	for _, tt := range []struct {
		name, in string
		want     string
	}{
		{"as deep as allowed", `{"a":` + nested("[", "", "]", schema.MaxDepth-1) + "}", ""},
		{"too deep", `{"a":` + nested("[", "", "]", schema.MaxDepth) + "}", "1:too_deep"},
		{"too deep objects", nested(`{"a":`, "1", "}", schema.MaxDepth+1), "1:too_deep"},
		{"too deep and cut", strings.Repeat(`{"a":[`, 100_000), "1:too_deep"},
		{"too deep arrays", nested("[", "1", "]", schema.MaxDepth+1), "1:too_deep"},
		{"pretty-printed", strings.Repeat("{\"a\":\n ", schema.MaxDepth+1) + "1", "1:too_deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := []string{tt.want, "2:{}"}
			if tt.want == "" {
				want[0] = "1:" + tt.in
			}
			if n := strings.Count(tt.in, "\n"); n > 0 {
				want[1] = fmt.Sprintf("%d:{}", n+2)
			}
			same(t, "records", recordsOf(t, strings.NewReader(tt.in+"\n{}"), false), want)
		})
	}
}

// repeated reads one line n times, to be larger than memory should be.
func repeated(line string, n int) io.Reader {
	return io.LimitReader(&endless{line: []byte(line)}, int64(len(line))*int64(n))
}

func TestRecordsTooLarge(t *testing.T) {
	const block = 1 << 20
	filler := strings.Repeat("x", block)
	much := schema.MaxValueBytes/block + 2
	for _, tt := range []struct {
		name string
		in   []io.Reader
		want []string
	}{
		{"string", []io.Reader{strings.NewReader("1\n{\"a\":\""), repeated(filler, much), strings.NewReader("\"}\n{}")},
			[]string{"1:1", "2:too_large", "3:{}"}},
		{"pretty-printed", []io.Reader{strings.NewReader("{\n"), repeated("  \"a\":\""+filler+"\",\n", much), strings.NewReader("  \"b\":1\n}\n{}")},
			[]string{"1:too_large", fmt.Sprintf("%d:{}", much+4)}},
		{"number", []io.Reader{repeated(strings.Repeat("1", block), much), strings.NewReader("\n{}")},
			[]string{"1:too_large", "2:{}"}},
		{"no JSON", []io.Reader{strings.NewReader("?"), repeated(filler, much), strings.NewReader("\n{}")},
			[]string{"1:bad_json", "2:{}"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			same(t, "records", recordsOf(t, io.MultiReader(tt.in...), false), tt.want)
		})
	}
}

// An array of any size is read element by element: one line of 100 MiB takes
// no more memory than its largest element.
func TestRecordsStreamArray(t *testing.T) {
	element := `{"id":"1","text":"` + strings.Repeat("x", 1000) + `"},`
	const n = 100 << 10
	rec := newRecords(io.MultiReader(strings.NewReader("["), repeated(element, n), strings.NewReader("{}]\n")))
	got := 0
	for ; rec.next() == nil && rec.value != nil; got++ {
	}
	if got != n+1 || cap(rec.buf) > 16*readBytes {
		t.Errorf("%d of %d elements, in a buffer of %d bytes", got, n+1, cap(rec.buf))
	}
}

func TestRejectedKeepsABoundedCopy(t *testing.T) {
	const size = 3 * schema.MaxRawBytes
	in := "?" + strings.Repeat("x", size-1)
	rec := newRecords(strings.NewReader(in + "\n"))
	if err := rec.next(); err != nil || rec.bad == nil {
		t.Fatalf("next() = %v, %v", rec.bad, err)
	}
	if rec.bad.Size != size || !bytes.Equal(rec.bad.Raw, []byte(in[:schema.MaxRawBytes])) {
		t.Errorf("kept %d bytes of %d, want %d of %d", len(rec.bad.Raw), rec.bad.Size, schema.MaxRawBytes, size)
	}
}
