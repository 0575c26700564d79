package words

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"visualizer/schema"
)

// world makes texts and queries of a few words, so that repeats, shared
// beginnings and matches are common.
type world struct{ *rand.Rand }

func (w world) pick(from []string) string { return from[min(w.IntN(len(from)), w.IntN(len(from)))] }

// vocabularies are of several scripts; hostile is in none of them only.
var vocabularies = [][]string{
	strings.Fields("a b no the then they there them kelp kelps kelpie ke don't dont 3.14 3 14 10y 10i foo_bar foo example.com example.co"),
	strings.Fields("ñandú ñandúes ÑANDÚ café cafés strasse straße İstanbul istanbul мир МИР миры мира Привет приветы"),
	strings.Fields("我 爱 北 京 天 安 门 テ ス ト カ ー の ไ ท ย ไม้ ສ ະ 한국어 한국 한국말"),
	strings.Fields("مرحبا بالعالم مرحبًا नमस्ते नमस्कार दुनिया שלום צ' שלומי 𞤀𞤣𞤤𞤢𞤥 𞤀𞤣𞤤𞤢𞤳 𐐀𐐁𐐂𐐃 𐐀𐐁𐐂 ᏣᎳᎩ ᏣᎳᎩᏍ ꮳꮃꭹ"),
	strings.Fields("🔥 🔥🔥 👍🏽 👍🏽👍🏽 👨‍👩‍👧 👨‍👩‍👧‍👦 ❤️ ❤ 🇧🇷 🇺🇸 #️⃣ 1️⃣ ☀️ © 🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
	strings.Fields(`$p0 $p0* @words: @words:a =>{ =>{$slop:5} a|b (a b) a~b %a% w'a' w'*' {a} [a] [1 a\b a\ \a "a ~a -a +a <a> a,b a/b a;b nan inf null true`),
	{"\uE000", "\uE080", "a\u00ADb", "a\u200Db", "a\u0301\u0302", "\u0301", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 1025), strings.Repeat("é", 64), strings.Repeat("é", 65), "é" + strings.Repeat("𐐨", 64), strings.Repeat("𐐨", 64)},
}

func (w world) word() string {
	return w.pick(vocabularies[min(w.IntN(len(vocabularies)), w.IntN(len(vocabularies)))])
}

// text has words of one or of all vocabularies, sometimes one again and again.
func (w world) text(n int) string {
	var parts []string
	one := vocabularies[w.IntN(len(vocabularies))]
	for len(parts) < n {
		word := w.pick(one)
		if w.IntN(5) == 0 {
			word = w.word()
		}
		parts = append(parts, word)
		for w.IntN(5) == 0 {
			parts = append(parts, word)
		}
	}
	return w.join(parts)
}

func (w world) join(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p)
		b.WriteString([]string{" ", " ", " ", "-", ", ", "\n", " …"}[w.IntN(7)])
	}
	return b.String()
}

// typed is a query: most of its parts come from the texts.
func (w world) typed(texts []string) string {
	var parts []string
	for range 1 + w.IntN(3) {
		parts = append(parts, w.term(texts))
		if w.IntN(4) == 0 {
			parts = append(parts, "OR")
		}
	}
	return strings.Join(parts, " ")
}

func (w world) term(texts []string) string {
	words := schema.Words(texts[w.IntN(len(texts))])
	if len(words) == 0 || w.IntN(6) == 0 {
		words = schema.Words(w.text(1 + w.IntN(3)))
	}
	if len(words) == 0 {
		return "!"
	}
	from := w.IntN(len(words))
	words = words[from : from+1+w.IntN(min(5, len(words)-from))]
	sign := []string{"", "", "", "-"}[w.IntN(4)]
	switch w.IntN(6) {
	case 0:
		return sign + words[0]
	case 1:
		return sign + `"` + strings.Join(words, " ") + `"`
	case 2:
		return sign + strings.Join(words, "-")
	case 3:
		return sign + w.cut(words[0]) + "*"
	case 4:
		return w.word()
	}
	last := len(words) - 1
	return sign + strings.Join(append(words[:last:last], w.cut(words[last])), "-") + "*"
}

// cut returns a beginning of a word.
func (w world) cut(word string) string {
	runes := []rune(word)
	return string(runes[:min(len(runes), 64, 3+w.IntN(4))])
}

// TestOracle: for random texts and queries Redis finds what matches. The
// environment variable WORDS_SEED takes another seed.
func TestOracle(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("WORDS_SEED"), 10, 64)
	w := world{rand.New(rand.NewPCG(seed, 1))}
	var texts []string
	for range 2500 {
		texts = append(texts, w.text(w.IntN(14)))
	}
	for range 4 {
		texts = append(texts, w.text(4000))
	}
	s := newStore(t)
	s.add(t, texts...)
	asked := map[string]int{}
	for range 5000 {
		text := w.typed(texts)
		q, err := Parse(text)
		if err != nil || q == nil {
			continue // too long, or without a word: TestParse
		}
		s.check(t, text, []string{"", "0"}[w.IntN(2)])
		for _, b := range q.Branches {
			for _, term := range b {
				asked[kind(term, len(s.matching(&Query{[]Branch{{term}}}, "")) > 0)]++
			}
		}
	}
	for _, k := range []string{"word", "word*", "phrase", "phrase*", "-word", "-word*", "-phrase", "-phrase*"} {
		if asked[k+" hit"] < 50 {
			t.Errorf("%s was asked %d times with a result", k, asked[k+" hit"])
		}
	}
	t.Log(asked)
}

// TestCharacters: a word is found by itself and by its beginning, whatever
// letter is in it.
func TestCharacters(t *testing.T) {
	s := newStore(t)
	var texts []string
	seen := map[string]bool{}
	for r := rune(0x80); r < 0x20000; r++ {
		cased := unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt)
		if !cased && (r%16 > 0 || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Cf, unicode.Co)) {
			continue
		}
		if w := schema.Words("ab" + string(r) + "yz"); len(w) == 1 && !seen[w[0]] {
			seen[w[0]] = true
			texts = append(texts, w[0])
		}
	}
	s.add(t, texts...)
	for _, text := range texts {
		beginning, _ := schema.Beginning(text, 3)
		s.check(t, text+" "+beginning+"*", "")
	}
}

func kind(t Term, hit bool) string {
	k := "word"
	if len(t.Words) > 1 {
		k = "phrase"
	}
	if t.Exclude {
		k = "-" + k
	}
	if t.Prefix {
		k += "*"
	}
	if hit {
		return k + " hit"
	}
	return k + " no hit"
}
