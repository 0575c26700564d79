package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"
)

// Words returns the words of a text in order, folded: search compares these
// and nothing else. The text is folded as a whole (Fold) and cut by Unicode's
// default word boundaries (UAX #29); a segment is a word when it holds a letter
// or a number or is an emoji. So "don't", "3.14", "foo_bar" and "example.com"
// are one word, "state-of-the-art" is four. In scripts that don't set words
// apart (Han, kana, Thai, Lao, Khmer, Myanmar) each character is a word, where
// UAX #29 joins them as well.
func Words(text string) []string {
	folded := Fold(strings.ToValidUTF8(text, "\uFFFD"))
	out := make([]string, 0, len(folded)/bytesPerWord)
	segments := words.FromString(folded)
	for segments.Next() {
		segment := segments.Value()
		switch {
		case strings.ContainsFunc(segment, unspaced):
			out = appendCharacters(out, segment)
		case isWord(segment):
			out = append(out, segment)
		}
	}
	return out
}

// bytesPerWord is about how many bytes of a text there are to a word.
const bytesPerWord = 5

// isWord reports whether a segment is more than signs and blanks.
func isWord(segment string) bool {
	return strings.ContainsFunc(segment, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) ||
		isEmoji(segment)
}

// Characters of which more than one, or other than the first, make an emoji.
const (
	keycap         = '\u20E3'
	firstIndicator = '\U0001F1E6' // regional indicators: two are a flag
	lastIndicator  = '\U0001F1FF'
	firstSkinTone  = '\U0001F3FB'
	lastSkinTone   = '\U0001F3FF'
)

func isEmoji(segment string) bool {
	// A joiner that has nothing before it to join stands first.
	segment = strings.TrimLeftFunc(segment, func(r rune) bool { return unicode.Is(unicode.Cf, r) })
	r, size := utf8.DecodeRuneInString(segment)
	switch {
	case r == '#', r == '*':
		return strings.ContainsRune(segment, keycap)
	case r < utf8.RuneSelf, unicode.IsMark(r):
		return false
	case r >= firstIndicator && r <= lastIndicator:
		return size < len(segment)
	case r >= firstSkinTone && r <= lastSkinTone:
		return true
	}
	return isPictographic(segment[:size])
}

// isPictographic reports whether a character that neither extends nor formats
// others is Extended_Pictographic: only such a one is not cut off behind a zero
// width joiner (rule WB3c).
func isPictographic(character string) bool {
	const joiner = "\u200D"
	segments := words.FromString(joiner + character)
	return segments.Next() && len(segments.Value()) > len(joiner)
}

// scripts are written without anything between words.
var scripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// unspaced reports whether a character is a word by itself.
func unspaced(r rune) bool {
	return r > unicode.MaxLatin1 && (unicode.In(r, scripts...) || isSharedKana(r))
}

// isSharedKana reports whether r belongs to both kana, or is kana to UAX #29
// only: the marks for a long or a repeated sound.
func isSharedKana(r rune) bool {
	return r >= '\u3031' && r <= '\u3035' || r == '\u30A0' || r == '\u30FC'
}

// appendCharacters adds the words of a segment that holds unspaced characters:
// each of these is one, and so is what stands between them.
func appendCharacters(out []string, segment string) []string {
	if _, size := utf8.DecodeRuneInString(segment); size == len(segment) {
		if isWord(segment) {
			out = append(out, segment)
		}
		return out
	}
	between := 0 // where the part before the present character begins
	characters := graphemes.FromString(segment)
	flush := func(end int) {
		if part := segment[between:end]; isWord(part) {
			out = append(out, part)
		}
	}
	for characters.Next() {
		character := characters.Value()
		if !strings.ContainsFunc(character, unspaced) {
			continue
		}
		flush(characters.Start())
		between = characters.End()
		if isWord(character) {
			out = append(out, character)
		}
	}
	flush(len(segment))
	return out
}
