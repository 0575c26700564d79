package schema

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The five escapes that X puts into a text. Anything else that looks like
// HTML was typed by somebody.
var textDecoder = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'")

// DecodeText returns rawText with the five HTML escapes decoded in one pass:
// "&amp;lt;" becomes "&lt;".
func DecodeText(rawText string) string {
	if !strings.Contains(rawText, "&") {
		return rawText
	}
	return textDecoder.Replace(rawText)
}

// Fold returns the form under which hashtags, usernames and languages match
// and count: NFKC, Unicode case fold, NFKC again since folding can
// denormalize. Accents stay.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	folded := cases.Fold().String(norm.NFKC.String(s))
	return norm.NFKC.String(strings.Map(foldCherokee, folded))
}

// foldCherokee folds the small letters of Cherokee to the others, as Unicode
// has it; cases.Fold exchanges the two.
func foldCherokee(r rune) rune {
	switch {
	case r >= 0xAB70 && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case r >= 0x13F8 && r <= 0x13FD:
		return r - 8
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// FoldAll folds each string and drops what is empty or was there before.
func FoldAll(ss []string) []string {
	var out []string
	seen := make(map[string]bool, len(ss))
	for _, s := range ss {
		f := Fold(s)
		if f == "" || seen[f] {
			continue
		}
		seen[f] = true
		out = append(out, f)
	}
	return out
}
