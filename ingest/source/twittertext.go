package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"visualizer/schema"
)

// extractEntities fills in the hashtags, mentions and cashtags that X would
// find in the text: by the rules of its library twitter-text.
func extractEntities(t *schema.Tweet) {
	s, users := t.Text, map[string]int{}
	for i := strings.IndexAny(s, "#＃@＠$"); i >= 0; {
		sign, size := utf8.DecodeRuneInString(s[i:])
		before, rest := s[max(0, i-lookBack):i], s[i+size:]
		n := 0
		switch sign {
		case '#', '＃':
			if n = hashtag(before, rest); n > 0 {
				t.Hashtags = append(t.Hashtags, rest[:n])
			}
		case '$':
			if n = cashtag(before, rest); n > 0 {
				t.Cashtags = append(t.Cashtags, rest[:n])
			}
		default:
			if n = mention(before, rest); n > 0 {
				t.Mentions = addMention(t.Mentions, users, schema.Mention{Username: schema.Opt(rest[:n])})
			}
		}
		from := i + size + n
		i = strings.IndexAny(s[from:], "#＃@＠$")
		if i >= 0 {
			i += from
		}
	}
	t.Hashtags, t.Cashtags = distinct(t.Hashtags), distinct(t.Cashtags)
}

// lookBack is how far before a sign its surroundings are looked at.
const lookBack = 2 << 10

// ellipsis ends a text that was cut, and with it maybe a name.
const ellipsis = "…"

// hashtag returns the length of the tag between before+"#" and the rest of
// the text, or 0.
func hashtag(before, rest string) int {
	last, _ := utf8.DecodeLastRuneInString(before)
	if before != "" && (last == '&' || isTagRune(last)) || inURL(before) {
		return 0
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !isTagRune(r) })
	if n < 0 {
		n = len(rest)
	}
	tail := rest[n:]
	for _, bad := range []string{"#", "＃", "://"} {
		if strings.HasPrefix(tail, bad) {
			return 0
		}
	}
	// A variation selector or enclosing keycap behind the sign makes an emoji.
	if tail == ellipsis || strings.HasPrefix(rest, "\uFE0F") || strings.HasPrefix(rest, "\u20E3") || !strings.ContainsFunc(rest[:n], isTagLetter) {
		return 0
	}
	return n
}

// tagSigns may stand in a hashtag besides letters, marks and digits.
const tagSigns = "_\u200c\u200d\ua67e\u05be\u05f3\u05f4\uff5e\u301c\u309b\u309c\u30a0\u30fb\u3003\u0f0b\u0f0c\u00b7"

func isTagLetter(r rune) bool { return unicode.In(r, unicode.L, unicode.M) }

func isTagRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return isTagLetter(r) || unicode.Is(unicode.Nd, r) || strings.ContainsRune(tagSigns, r)
}

// inURL reports whether the text ends within a URL.
func inURL(before string) bool {
	word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	return strings.Contains(word, "://")
}

const maxUsername = 20

// mention returns the length of the username between before+"@" and the rest
// of the text, or 0. The name of a list, @user/list, is none.
func mention(before, rest string) int {
	if !mayMention(before) || inURL(before) {
		return 0
	}
	n := 0
	for n < len(rest) && n < maxUsername && isNameByte(rest[n]) {
		n++
	}
	tail := rest[n:]
	next, _ := utf8.DecodeRuneInString(tail)
	switch {
	case tail == ellipsis, next == '@', next == '＠', next >= 'À' && next <= 'ɏ' && unicode.IsLetter(next), strings.HasPrefix(tail, "://"):
		return 0
	case next == '/' && len(tail) > 1 && isNameByte(tail[1]) && (tail[1] < '0' || tail[1] > '9') && tail[1] != '_':
		return 0
	}
	return n
}

// mayMention reports whether a mention may follow: not after what would make
// an address of it, but for "RT".
func mayMention(before string) bool {
	before = strings.TrimRight(before, "@＠")
	last, _ := utf8.DecodeLastRuneInString(before)
	if before == "" || last >= utf8.RuneSelf || !isNameByte(byte(last)) && !strings.ContainsRune("!#$%&*", last) {
		return true
	}
	head, ok := strings.CutSuffix(strings.ToUpper(before[max(0, len(before)-3):]), "RT")
	return ok && (head == "" || !isNameByte(head[len(head)-1]) && !strings.Contains("+~.-", head))
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// cashtag returns the length of the symbol between before+"$" and the rest of
// the text, or 0: up to six letters, and two more behind a point.
func cashtag(before, rest string) int {
	last, _ := utf8.DecodeLastRuneInString(before)
	if before != "" && !unicode.IsSpace(last) {
		return 0
	}
	n := letters(rest, 6)
	if n > 0 && n < len(rest) && (rest[n] == '.' || rest[n] == '_') {
		if more := letters(rest[n+1:], 2); more > 0 {
			n += 1 + more
		}
	}
	next, _ := utf8.DecodeRuneInString(rest[n:])
	if n < len(rest) && !unicode.IsSpace(next) && (next >= utf8.RuneSelf || isNameByte(byte(next))) {
		return 0
	}
	return n
}

// letters counts the ASCII letters at the beginning of s, up to a number.
func letters(s string, most int) int {
	n := 0
	for n < len(s) && n < most && (s[n]|0x20) >= 'a' && (s[n]|0x20) <= 'z' {
		n++
	}
	return n
}
