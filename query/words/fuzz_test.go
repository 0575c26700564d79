package words

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"visualizer/schema"
)

// hostile texts are known to have ended a server, or look like its syntax.
var hostile = []string{
	"", " ", "!!!", "the|is|dogs", "the is dogs", "NUL\x00in it", "\x00", `back\slash \`, `\\`, "((((", "))))", "[[[ ]]]", "{{}}", "$p0", "$p0 $p1*", "@words:", "@words:{a}", "@words:$p0",
	"=>{", "a=>{$slop:99;$inorder:false}", "(a)=>{$weight:5}", `"$p0 $p1"`, "-", "--", "-*", "*", "**", "%%a%%", "w'*'", "~a", "a|", "|a", "OR", "OR OR", "a OR", "OR a", "-OR", "a OR -b", `"`, `""`, `"a`, `a"`,
	strings.Repeat("x", 1025), strings.Repeat("x", 1025) + "*", "*" + strings.Repeat("x", 1025), "*" + strings.Repeat("x", 1025) + "*", strings.Repeat("é", 64) + "*", strings.Repeat("𐐨", 63) + "*",
	strings.Repeat("a ", 16), strings.Repeat("(", 5000), strings.Repeat("-", 5000), strings.Repeat(`"`, 5001), "nan inf -inf 1e999 0x1p-2", "a\u200db", "\u202e\u200f", "\ufffd\xff\xfe", "\U0010ffff", "\ue000\ue081\ue082\ue083",
	"state-of-the-art*", "don't*", "foo foo foo", `"foo foo" foo-foo*`, "🔥🔥 🔥*", "👨‍👩‍👧‍👦*", "ไม้*", "ﷺ", "ﷺ*", "½", "İ*", "ǰǰǰ*", "ꭰꭱꭲꭳ*", "#️⃣*", "٣٫١٤", "a·b", `ד"ר`, "a\u0301\u0301\u0301*",
}

// FuzzSearch: whatever is typed, and whatever stands in a tweet, the server
// answers with the texts that match, and lives.
func FuzzSearch(f *testing.F) {
	s := newStore(f)
	s.add(f, append([]string{"for the text of each round"}, hostile...)...)
	for i, text := range hostile {
		f.Add(text, hostile[len(hostile)-1-i])
		f.Add(text, text)
	}
	before := s.process(f)
	f.Fuzz(func(t *testing.T, text, typed string) {
		if len(text) > 5000 || len(typed) > 5000 {
			return
		}
		s.replace(t, 0, text)
		q, err := Parse(typed)
		if problem := (*Problem)(nil); errors.As(err, &problem) {
			return
		}
		if err != nil || (q == nil) != (strings.TrimSpace(typed) == "") {
			t.Fatalf("Parse(%q) = %v, %v", typed, q, err)
		}
		if q == nil {
			return
		}
		found, err := s.find(t.Context(), q, "")
		if want := s.matching(q, ""); err != nil || !slices.Equal(found, want) {
			t.Errorf("search %q (%s) finds %v, %v, want %v: %s", typed, q.Canonical(), found, err, want, s.difference(found, want))
		}
		if after := s.process(t); after != before {
			t.Fatalf("search %q ended the server", typed)
		}
	})
}

// replace stores another text under a number.
func (s *store) replace(t testing.TB, n int, text string) {
	t.Helper()
	s.words[n] = schema.Words(text)
	if err := s.client.Do(t.Context(), s.set(t, n)).Error(); err != nil {
		t.Fatal(err)
	}
}

// process tells which process serves.
func (s *store) process(t testing.TB) string {
	t.Helper()
	info, err := s.client.Do(t.Context(), s.client.B().Info().Section("server").Build()).ToString()
	if err != nil {
		t.Fatal(err)
	}
	_, pid, _ := strings.Cut(info, "process_id:")
	pid, _, _ = strings.Cut(pid, "\r\n")
	return pid
}
