package source

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"visualizer/schema"
)

// addCaseLines gives a fuzz target the lines of all small input files.
func addCaseLines(f *testing.F, add func(line []byte)) {
	files, err := filepath.Glob(casesDir + "/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d case files, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if len(line) < 16<<10 {
				add(line)
			}
		}
	}
}

// Property: a scanner calls done what jsontext calls valid, but for NUL bytes
// in strings and for depth, wherever it is interrupted.
func FuzzScanner(f *testing.F) {
	for _, tt := range recordTests {
		f.Add([]byte(tt.in), 3)
	}
	addCaseLines(f, func(line []byte) { f.Add(line, 7) })
	f.Fuzz(func(t *testing.T, in []byte, step int) {
		in = bytes.TrimLeft(in, " \t\r\n")
		s := scanner{}
		r := more
		for n := 0; r == more && n < len(in); {
			n = min(n+max(step, 1), len(in))
			r = s.scan(in[:n])
		}
		if r == more {
			r = s.end(in)
		}
		dec := jsontext.NewDecoder(bytes.NewReader(in), wireOptions)
		want, err := dec.ReadValue()
		switch {
		case r == deep || s.nul:
		case r == done && (err != nil || !bytes.Equal(in[:s.pos], want)):
			// A number ends where a word does, jsontext's before garbage.
			t.Errorf("scanner took %q, jsontext %q, %v", in[:s.pos], want, err)
		case r != done && err == nil && !followedByWord(in, len(want)):
			t.Errorf("scanner found %q broken at %d, jsontext took %q", in, s.pos, want)
		}
	})
}

// followedByWord reports whether a number or literal is followed by what could
// belong to it: 01, nullx.
func followedByWord(in []byte, n int) bool {
	return isWord(in[n-1]) && n < len(in) && isWord(in[n])
}

// Properties: reading ends, whatever the bytes; it does not depend on how they
// arrive; and the good lines behind them are delivered.
func FuzzRecords(f *testing.F) {
	for _, tt := range recordTests {
		f.Add([]byte(tt.in))
	}
	addCaseLines(f, func(line []byte) { f.Add(line); f.Add(line[:len(line)/2]); f.Add(line[len(line)/2:]) })
	f.Fuzz(func(t *testing.T, in []byte) {
		const good = `{"id":"7","text":"good"}`
		text := string(in) + "\n" + good + "\n" + good
		for _, oneLine := range []bool{false, true} {
			whole := recordsOf(t, strings.NewReader(text), oneLine)
			bytewise := recordsOf(t, iotest.OneByteReader(strings.NewReader(text)), oneLine)
			if diff := cmp.Diff(whole, bytewise); diff != "" {
				t.Errorf("oneLine=%v: at once and byte by byte differ:\n%s", oneLine, diff)
			}
			line := bytes.Count(in, newline) + 2
			for _, want := range []string{fmt.Sprintf("%d:%s", line, good), fmt.Sprintf("%d:%s", line+1, good)} {
				if !slices.Contains(whole, want) {
					t.Errorf("oneLine=%v: no record %q in %q", oneLine, want, whole)
				}
			}
		}
	})
}

// Properties: no JSON value panics; every event encodes as valid text without
// NUL and comes back the same; every tweet has a valid id and every reject a
// reason.
func FuzzDecodeV2(f *testing.F) {
	addCaseLines(f, func(line []byte) {
		if !isV11(line) {
			f.Add(bytes.TrimSpace(line))
		}
	})
	for _, tt := range decodeTests {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(checkDecode)
}

// The same of statuses and notices of API v1.1.
func FuzzDecodeV11(f *testing.F) {
	addCaseLines(f, func(line []byte) {
		if isV11(line) {
			f.Add(bytes.TrimSpace(line))
		}
	})
	f.Fuzz(checkDecode)
}

func isV11(line []byte) bool {
	return bytes.Contains(line, []byte(`"id_str"`)) || bytes.Contains(line, []byte(`"user_id"`))
}

func checkDecode(t *testing.T, in []byte) {
	rec := newRecords(bytes.NewReader(in))
	for rec.next() == nil {
		if rec.value == nil {
			continue
		}
		events, rejects := Decode(rec.value, nil)
		if len(events)+len(rejects) == 0 {
			t.Errorf("nothing came of %q", rec.value)
		}
		for i := range events {
			checkEvent(t, &events[i])
		}
		for _, r := range rejects {
			if r.Reason == "" || r.Err == nil || len(r.Raw) > schema.MaxRawBytes || r.Reason == schema.BadJSON {
				t.Errorf("reject %+v", r)
			}
		}
	}
}

func checkEvent(t *testing.T, e *schema.Event) {
	t.Helper()
	if (e.Kind == schema.KindTweet || e.Kind == schema.KindReferenced) && !schema.ValidID(e.Tweet.ID) {
		t.Errorf("id %q", e.Tweet.ID)
	}
	b, err := schema.Encode(e)
	if err != nil {
		t.Fatalf("encode %+v: %v", e.Tweet, err)
	}
	if !utf8.Valid(b) || bytes.Contains(b, []byte(`\u0000`)) && !bytes.Contains(b, []byte(`\\u0000`)) {
		t.Errorf("event is no valid text: %q", b)
	}
	var again schema.Event
	if err := schema.Decode(b, &again); err != nil {
		t.Fatalf("decode %s: %v", b, err)
	}
	if b2, _ := schema.Encode(&again); !bytes.Equal(b, b2) {
		t.Errorf("encoded %s, then %s", b, b2)
	}
}

// Property: a date is unusable or one that RFC 3339 can show.
func FuzzParseTime(f *testing.F) {
	for _, tt := range timeTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		at := parseTime(in)
		if at == nil {
			return
		}
		if again := parseTime(at.String()); *at != 0 && (again == nil || *again != *at) {
			t.Errorf("parseTime(%q) = %v, which parses as %v", in, at, again)
		}
	})
}

// Property: an id is taken exactly as it stands, or is invalid.
func FuzzID(f *testing.F) {
	for _, tt := range idTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !jsontext.Value(in).IsValid(wireOptions) || strings.TrimSpace(in) != in {
			return
		}
		events, _ := Decode([]byte(`{"id":`+in+`,"text":""}`), nil)
		if len(events) == 0 || events[0].Kind != schema.KindTweet {
			return
		}
		id := events[0].Tweet.ID
		n, err := strconv.ParseUint(id, 10, 64)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != id {
			t.Errorf("%s became the id %q", in, id)
		}
		if literal, _ := strings.CutPrefix(strings.Trim(in, `"`), "-"); !strings.Contains(in, `\`) && literal != id {
			t.Errorf("%s became the id %q", in, id)
		}
	})
}

// Properties: what is extracted stands in the text behind its sign, and has no
// blanks; tags have a letter, usernames are ASCII.
func FuzzExtract(f *testing.F) {
	for _, tt := range extractTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) {
			return
		}
		tw := schema.Tweet{Text: in}
		extractEntities(&tw)
		for _, tag := range tw.Hashtags {
			if !strings.Contains(in, "#"+tag) && !strings.Contains(in, "＃"+tag) || !strings.ContainsFunc(tag, isTagLetter) || strings.ContainsAny(tag, " #@\n") {
				t.Errorf("hashtag %q of %q", tag, in)
			}
		}
		for _, m := range tw.Mentions {
			name := string(m.Username)
			if !strings.Contains(in, "@"+name) && !strings.Contains(in, "＠"+name) || len(name) > maxUsername || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				t.Errorf("mention %q of %q", name, in)
			}
		}
		for _, tag := range tw.Cashtags {
			if !strings.Contains(in, "$"+tag) || len(tag) > 9 {
				t.Errorf("cashtag %q of %q", tag, in)
			}
		}
	})
}

// Property: no bytes make a container panic, hang or take much memory.
func FuzzContainers(f *testing.F) {
	files := []packed{{"a", line1}, {"b.gz", string(gz(f, line2))}, {"c", "{"}, {"d/", ""}}
	for _, a := range archives {
		data := a.make(f, files...)
		f.Add(data)
		f.Add(data[:len(data)/2])
		data = slices.Clone(data)
		data[len(data)/3] ^= 1
		f.Add(data)
	}
	f.Add(zst(f, line1, line2))
	f.Add([]byte(bz(f)))
	f.Fuzz(func(t *testing.T, in []byte) {
		readBounded(t, NewReader("in", bytes.NewReader(in)))
		readBounded(t, bytesFile(in))
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.HeapAlloc > 4*maxWindow {
			t.Errorf("%d MiB of memory in use", m.HeapAlloc>>20)
		}
	})
}

// Property: whatever a file in an archive holds, the one before and the one
// behind are read.
func FuzzMembers(f *testing.F) {
	for _, in := range []string{bz(f), string(zst(f, line1)), string(gz(f, line1)), string(skippable), string(tarOf(f, packed{"a", line1})),
		string(zipOf(f, zip.Store, packed{"a", line1})), string(utf16Text(line1, true)), line1, "a,b\n", "{\n"} {
		f.Add([]byte(in))
		f.Add([]byte(in[:len(in)/2]))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		files := []packed{{"1", `{"id":"77","text":""}`}, {"2", string(in)}, {"3", `{"id":"78","text":""}`}}
		for _, data := range [][]byte{tarOf(t, files...), zipOf(t, zip.Store, files...), sizedZip(t, zip.Store, files...)} {
			got, whole := readBounded(t, NewReader("in", bytes.NewReader(data)))
			if whole && !(strings.HasPrefix(got, "tweet 77; ") && strings.HasSuffix(got, "tweet 78; ")) {
				t.Errorf("%.300q", got)
			}
		}
	})
}

// readBounded reads a file for a while, as it may unpack to more than anybody
// wants to read, and returns what came and whether that is all.
func readBounded(t *testing.T, src Source) (got string, whole bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var b strings.Builder
	for e, err := range src.Events(ctx) {
		r, bad := errors.AsType[*Rejected](err)
		switch {
		case bad:
			b.WriteString(string(r.Reason))
		case err != nil:
			t.Fatal(err)
		default:
			b.WriteString(summary([]schema.Event{e}, nil))
		}
		if b.WriteString("; "); b.Len() > 1<<20 {
			return "", false
		}
	}
	return b.String(), ctx.Err() == nil
}

// bytesFile is a file, of which any place can be read.
type bytesFile []byte

func (bytesFile) Name() string { return "in" }

func (b bytesFile) Events(ctx context.Context) iter.Seq2[schema.Event, error] {
	return func(yield func(schema.Event, error) bool) {
		u := unpacker{ctx: ctx, yield: yield}
		file := io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
		u.read(input{name: "in", r: u.layer("", bytes.NewReader(b)), file: file, window: maxWindow})
	}
}
