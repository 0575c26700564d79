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
	x := extractor{Tweet: t, users: map[string]int{}}
	inURL, from := false, 0
	for {
		i := strings.IndexAny(t.Text[from:], signs)
		if i < 0 {
			break
		}
		inURL = endsInURL(inURL, t.Text[from:from+i])
		before, rest := t.Text[:from+i], t.Text[from+i:]
		sign, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		if sign == '@' || sign == '＠' { // several are one sign
			rest = strings.TrimLeft(rest, "@＠")
		}
		from = len(t.Text) - len(rest)
		if !inURL {
			from += x.take(sign, before, rest)
		}
	}
	t.Hashtags, t.Cashtags = distinct(t.Hashtags), distinct(t.Cashtags)
}

const signs = "#＃@＠$"

// extractor adds what it finds to a tweet.
type extractor struct {
	*schema.Tweet
	users map[string]int // see addMention
}

// take adds what stands behind a sign, and returns its length.
func (x extractor) take(sign rune, before, rest string) (n int) {
	switch sign {
	case '#', '＃':
		if n = hashtag(before, rest); n > 0 {
			x.Hashtags = append(x.Hashtags, rest[:n])
		}
	case '$':
		if n = cashtag(before, rest); n > 0 {
			x.Cashtags = append(x.Cashtags, rest[:n])
		}
	default:
		n = mention(before, rest)
		x.Mentions = addMention(x.Mentions, x.users, schema.Mention{Username: schema.Opt(rest[:n])})
	}
	return n
}

// endsInURL reports whether text ends within a URL, in which signs are no
// entities. before tells the same of what stands before text.
func endsInURL(before bool, text string) bool {
	if i := strings.LastIndexFunc(text, unicode.IsSpace); i >= 0 {
		before, text = false, text[i:]
	}
	return before || strings.Contains(text, "://")
}

// ellipsis ends a text that was cut, and with it maybe a name.
const ellipsis = "…"

// hashtag returns the length of the tag between before+"#" and the rest of
// the text, or 0.
func hashtag(before, rest string) int {
	last, _ := utf8.DecodeLastRuneInString(before)
	if before != "" && (last == '&' || isTagRune(last)) {
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

const maxUsername = 20

// mention returns the length of the username between before+"@" and the rest
// of the text, or 0. The name of a list, @user/list, is none.
func mention(before, rest string) int {
	if !mayMention(before) {
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
