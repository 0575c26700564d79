package schema

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxWord is the length in code points up to which words are told apart. A
// query may hold none that is longer; of a longer one in a tweet the index has
// the beginning, which prefixes find.
const MaxWord = 64

// MinPrefix is the least number of code points of a prefix.
const MinPrefix = 3

// MaxQueryWords is the greatest number of words in a query, and so in a phrase.
const MaxQueryWords = 16

// Characters for private use that stand in tokens: RediSearch takes them as they
// are. See spelled for what it would not.
const (
	signs  = '\uE000' // + an ASCII character that a token can't hold
	cut    = '\uE080' // behind the first MaxWord code points of a longer word
	again  = '\uE081' // before a word that stands in for the same one, see IndexText
	starts = '\uE082' // before the beginning of a word
	gap    = '\uE083' // a token that no query holds
	hashed = '\uE084' // between the first characters of a long word and a hash
	high   = '\uE400' // + the upper 11 bits of a character
	low    = '\uE840' // + the lower 10 bits
)

// maxToken is the length in bytes of a token that spells its word; the tokens
// of longer ones end in a hash. RediSearch cuts tokens at 128 bytes.
const maxToken = 96

// WordToken returns a word as the index has it: one token for RediSearch
// whatever the word holds. Different words have different tokens, as far as
// their first MaxWord code points tell them apart, and a word of at most MaxWord
// code points never has the token of a longer one. The token of a word's
// beginning is the beginning of the word's token, unless that is IsLong.
func WordToken(word string) string {
	if isPlain(word) {
		return word
	}
	token, head := spell(word)
	if len(token) <= maxToken {
		return token
	}
	sum := sha256.Sum256([]byte(word))
	return token[:head] + string(hashed) + hashText.EncodeToString(sum[:15])
}

var hashText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// IsLong reports whether the token of a prefix ends in a hash, so that longer
// words don't begin with it: they have its StartToken.
func IsLong(prefix string) bool {
	if isPlain(prefix) {
		return false
	}
	token, _ := spell(prefix)
	return len(token) > maxToken
}

// spell returns the first MaxWord code points of a word in characters that stand
// in tokens, and the number of bytes of it that a token has room for. RediSearch
// cuts words at ASCII signs, drops control characters, and when it looks for a
// prefix folds that and keeps 16 bits of each character.
func spell(word string) (token string, head int) {
	if len(word) <= maxToken && strings.IndexFunc(word, unfit) < 0 && utf8.RuneCountInString(word) <= MaxWord {
		return word, len(word)
	}
	var b strings.Builder
	n := 0
	for _, r := range word {
		if n++; n > MaxWord {
			b.WriteRune(cut)
			break
		}
		switch {
		case r < utf8.RuneSelf && !plain(byte(r)):
			b.WriteRune(signs + r)
		case unfit(r):
			b.WriteRune(high + r>>10)
			b.WriteRune(low + r&0x3FF)
		default:
			b.WriteRune(r)
		}
		if b.Len() <= maxToken {
			head = b.Len()
		}
	}
	return b.String(), head
}

// unfit reports whether a character can't stand in a token as it is.
func unfit(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return !plain(byte(r))
	case r < firstRefolded:
		return false
	}
	return r > 0xFFFF || unicode.Is(unicode.Co, r) || unicode.Is(refolded, r)
}

// firstRefolded comes before all others for private use as well.
const firstRefolded = 0x01F0

// refolded are characters of folded words that RediSearch folds further, in
// prefixes only: those that NFKC composes of what a fold gave, and Cherokee.
var refolded = &unicode.RangeTable{R16: []unicode.Range16{
	{firstRefolded, firstRefolded, 1}, {0x0390, 0x03B0, 0x20}, {0x13A0, 0x13FD, 1}, {0x1E96, 0x1E99, 1},
	{0x1F50, 0x1F56, 2}, {0x1FB6, 0x1FC6, 0x10}, {0x1FD2, 0x1FD2, 1}, {0x1FD6, 0x1FD7, 1},
	{0x1FE2, 0x1FE4, 2}, {0x1FE6, 0x1FE7, 1}, {0x1FF6, 0x1FF6, 1}, {0xAB70, 0xABBF, 1},
}}

func isPlain(word string) bool {
	for i := range len(word) {
		if !plain(word[i]) {
			return false
		}
	}
	return len(word) <= MaxWord
}

func plain(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' }

// AgainToken returns the other token of a word, see IndexText.
func AgainToken(word string) string { return string(again) + WordToken(word) }

// StartToken returns the token of a word's beginning, see IndexText.
func StartToken(prefix string) string { return string(starts) + WordToken(prefix) }

// IndexText returns what the index reads of a tweet's words: a text of tokens
// from which RediSearch answers words, prefixes, phrases and phrases that end in
// a prefix exactly.
//
// It would take two equal words of a phrase for the same one of the text. So of
// equal words that follow each other every second one has its AgainToken: "no no
// no" is no, again no, no.
//
// Of several words in a text that begin with a prefix it looks at one only when
// the prefix ends a phrase. So where different words of the text have their
// first MinPrefix code points in common, each of them stands behind the text
// once more for each place it has there: a gap, the tokens of up to
// MaxQueryWords-1 words before it, then the StartToken of each of its
// beginnings from MinPrefix code points on, in order of length. So does a word
// that IsLong.
func IndexText(words []string) string {
	tokens := make([]string, len(words), len(words)*2)
	for i, w := range words {
		tokens[i] = WordToken(w)
		if i > 0 && words[i-1] == w && tokens[i-1] == tokens[i] {
			tokens[i] = AgainToken(w)
		}
	}
	alike := alikeWords(words)
	seen := map[string]bool{}
	for i, w := range words {
		if (i == 0 || !alike[w]) && !IsLong(w) {
			continue
		}
		before := tokens[max(0, i-MaxQueryWords+1):i]
		if key := strings.Join(before, " ") + " " + w; !seen[key] {
			seen[key] = true
			tokens = append(append(append(tokens, string(gap)), before...), startTokens(w)...)
		}
	}
	return strings.Join(tokens, " ")
}

// alikeWords returns the words that share their first MinPrefix code points with
// another one.
func alikeWords(words []string) map[string]bool {
	long := make([]string, 0, len(words)) // enough to have a beginning
	for _, w := range words {
		if _, ok := Beginning(w, MinPrefix); ok {
			long = append(long, w)
		}
	}
	slices.Sort(long) // words that begin alike stand side by side
	long = slices.Compact(long)
	var alike map[string]bool // seldom any
	for i := 1; i < len(long); i++ {
		beginning, _ := Beginning(long[i], MinPrefix)
		if !strings.HasPrefix(long[i-1], beginning) {
			continue
		}
		if alike == nil {
			alike = map[string]bool{}
		}
		alike[long[i-1]], alike[long[i]] = true, true
	}
	return alike
}

// Beginning returns the first n code points of a word, false when it has fewer.
func Beginning(word string, n int) (string, bool) {
	for i := range word {
		if n == 0 {
			return word[:i], true
		}
		n--
	}
	return word, n == 0
}

func startTokens(word string) []string {
	var out []string
	for n := MinPrefix; n <= MaxWord; n++ {
		beginning, ok := Beginning(word, n)
		if !ok {
			break
		}
		out = append(out, StartToken(beginning))
	}
	return slices.Clip(out)
}
