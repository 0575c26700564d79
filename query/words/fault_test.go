package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// asks checks each query against the numbers of the texts it must find.
func (s *store) asks(t *testing.T, want map[string][]int) {
	t.Helper()
	for text, numbers := range want {
		q, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		found, err := s.find(t.Context(), q, "")
		if err != nil || !slices.Equal(found, numbers) || !slices.Equal(s.matching(q, ""), numbers) {
			t.Errorf("search %q finds %v, %v, want %v", text, found, err, numbers)
		}
	}
}

// TestTypedSigns: what holds signs finds its own text, and no other than those
// with the same words.
func TestTypedSigns(t *testing.T) {
	texts := []string{
		"C++", "AT&T", "don't", "state-of-the-art", "me@example.com", "https://t.co/AbC-9", "$TSLA", "50%",
		"(hello", "~maybe", `"half quote`, "@nasa", "foo|bar", `back\slash`, "w'x'", "the|is|dogs", "$p0",
		"@words:x", "=>{$slop:9}", "a\x00nul", "[1 2]", "{tag}", "%fuzzy%", "w'*wild*'", "inf nan null",
	}
	s := newStore(t)
	s.add(t, texts...)
	want := map[string][]int{}
	for i, text := range texts {
		want[text] = []int{i}
	}
	s.asks(t, want)
}

func TestScripts(t *testing.T) {
	s := newStore(t)
	s.add(t, "我爱北京天安门", "日本語のテスト", "مرحبا، بالعالم", "sale 🔥🔥 now", "sale 🔥 now", "ÑANDÚ #ÑANDÚ", "Привет МИР", "京北", "R&D <3 'quoted' &amp;")
	s.asks(t, map[string][]int{
		"北京": {0}, "京": {0, 7}, "テスト": {1}, "بالعالم": {2}, "🔥🔥": {3}, "🔥*": {3, 4}, "🔥": {3, 4}, "🔥🔥🔥": {},
		"ñandú": {5}, "#ñandú": {5}, "мир": {6}, "МИР*": {6}, "r&d": {8}, "quoted": {8}, "39": {},
	})
}

func TestExactWords(t *testing.T) {
	s := newStore(t)
	s.add(t, "universe", "university", "10y", "10i", "climate change", "change the climate", "the the", "running", "a b a b c")
	s.asks(t, map[string][]int{
		"universe": {0}, "univers*": {0, 1}, "10y": {2}, `"climate change"`: {4}, "climate change": {4, 5},
		"the": {5, 6}, `"the the"`: {6}, `"the the the"`: {}, "run": {}, "-the": {0, 1, 2, 3, 4, 7, 8},
		`"a b a"`: {8}, `"a a"`: {}, `"a b c"`: {8}, `"a b" "b a"`: {8}, "a b c d": {}, "a a": {8},
	})
}

// TestPrefixes: a short prefix finds no less than a longer one, however many
// words begin with it.
func TestPrefixes(t *testing.T) {
	s := newStore(t)
	var texts []string
	for i := range 500 {
		texts = append(texts, fmt.Sprintf("cov%03d", i))
	}
	for i := range 12_000 {
		texts = append(texts, fmt.Sprintf("big%05d see big%05d", i, i+1))
	}
	s.add(t, texts...)
	for text, want := range map[string]int{"cov*": 500, "cov1*": 100, "cov12*": 10, "c*": 0, "big*": 12_000, "see-big*": 12_000, "big00*": 1000, "see-big0000*": 9, "-big*": 500} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := s.find(t.Context(), q, ""); err != nil || len(found) != want || len(s.matching(q, "")) != want {
			t.Errorf("%s finds %d texts, %v, want %d", text, len(found), err, want)
		}
	}
}

// TestLongTexts: words are found wherever they stand in the longest text.
func TestLongTexts(t *testing.T) {
	s := newStore(t)
	long := func(word string) string { return strings.Repeat("no then there they "+word+" ", 1000) }
	s.add(t, long("kelp")+"the end", long("then")+"and end", strings.Repeat("x", 25_000), strings.Repeat("🔥", 6_000), strings.Repeat("foo foob ", 2_700)+"fool")
	s.asks(t, map[string][]int{
		`"the end"`: {0}, "and-end*": {1}, "kelp-no": {0}, "then-no": {1}, "they-the*": {1}, "xxx*": {2}, "🔥🔥🔥🔥🔥🔥🔥": {3}, "foob-fool": {4}, "foob-foo*": {4}, "foo-foo": {},
	})
}
