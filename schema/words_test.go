package schema

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		" \t!!! … ":                   "",
		"Don't 3.14 foo_bar":          "don't 3.14 foo_bar",
		"example.com me@example.com":  "example.com me example.com",
		"state-of-the-art":            "state of the art",
		"AT&T C++ $TSLA 50%":          "at t c tsla 50",
		"https://t.co/AbC-9":          "https t.co abc 9",
		"(hello ~maybe \"half quote":  "hello maybe half quote",
		"foo|bar back\\slash w'x'":    "foo bar back slash w'x",
		"ÑANDÚ Привет МИР":            "ñandú привет мир",
		"ｇｏｌａｎｇ ＡＢ＿１":                 "golang ab_1",
		"cafe\u0301":                  "café",
		"我爱北京":                        "我 爱 北 京",
		"日本語のテスト":                     "日 本 語 の テ ス ト",
		"サーバーー":                       "サ ー バ ー ー",
		"ﾊﾟｿｺﾝ":                       "パ ソ コ ン",
		"foo_カタbar":                   "foo_ カ タ bar",
		"カ_タ":                         "カ タ",
		"ไม้ไทย":                      "ไ ม้ ไ ท ย",
		"ສະບາຍ":                       "ສ ະ ບ າ ຍ",
		"مرحبا، بالعالم":              "مرحبا بالعالم",
		"한국어 테스트":                     "한국어 테스트",
		"sale 🔥🔥 now":                 "sale 🔥 🔥 now",
		"👨‍👩‍👧❤️👍🏽":                   "👨‍👩‍👧 ❤️ 👍🏽",
		"🇧🇷🇺🇸🇧":                       "🇧🇷 🇺🇸",
		"#️⃣ *️⃣ 1️⃣ # *":             "#️⃣ *️⃣ 1️⃣",
		"\u200D🔥":                     "\u200D🔥",
		"\u0301 \u0E49 \uFE0F":        "",
		"\xff\xfea\x00b":              "a b",
		"™ ﬁ ½":                       "tm fi 1⁄2",
		"1,000.5 10:30 a.b. U.S.A.":   "1,000.5 10 30 a.b u.s.a",
		"שלום ד״ר צ'":                 "שלום ד״ר צ'",
		"İstanbul ISTANBUL straße ǅ":  "i̇stanbul istanbul strasse dž",
		"नमस्ते दुनिया":               "नमस्ते दुनिया",
		"\uE000 a\uE080b \U000F0000x": "a b x",
	} {
		if got := strings.Join(Words(in), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestWordToken: tokens are as different as words, and hold nothing that
// RediSearch reads in its own way.
func TestWordToken(t *testing.T) {
	long := strings.Repeat("é", MaxWord)
	seen := map[string]string{}
	words := []string{"a", "don't", "don\uE027t", "don\uE081t", "a_b", "a.b", "a\\b", "A", "a\x00", "a\x7f", "\uE082a", "\U00010400", "\uE441\uE840", "\uE400\uE800", long, long + "x", long[2:], strings.Repeat("x", MaxWord), strings.Repeat("x", MaxWord+1), strings.Repeat("\U00010428", MaxWord), strings.Repeat("\U00010428", MaxWord-1)}
	for _, w := range words {
		token := WordToken(w)
		if other, taken := seen[token]; taken {
			t.Errorf("%q and %q have the same token", w, other)
		}
		seen[token] = w
		if len(token) > 125 {
			t.Errorf("token of %q has %d bytes", w, len(token))
		}
		for _, r := range token {
			if r < 0x80 && !plain(byte(r)) || r > 0xFFFF {
				t.Errorf("token %q of %q holds %q", token, w, r)
			}
		}
		if IsLong(w) {
			continue
		}
		for n := range []rune(w)[:min(len([]rune(w)), MaxWord)] {
			if prefix := string([]rune(w)[:n]); !strings.HasPrefix(token, WordToken(prefix)) {
				t.Errorf("token %q of %q doesn't begin with that of %q", token, w, prefix)
			}
		}
	}
}

func TestIndexText(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"no no no yes no":   "no >no no yes no",
		"the then a":        "the then a | the <the <then",
		"x foo y foob foo":  "x foo y foob foo | x <foo | x foo y <foo <foob | x foo y foob <foo",
		"a foo a foob":      "a foo a foob | a <foo | a foo a <foo <foob",
		"foo foo bar ba":    "foo >foo bar ba",
		"fo foobar foobaz ": "fo foobar foobaz | fo <foo <foob <fooba <foobar | fo foobar <foo <foob <fooba <foobaz",
	} {
		want = strings.NewReplacer(">", string(again), "<", string(starts), "|", string(gap)).Replace(want)
		if got := IndexText(strings.Fields(in)); got != want {
			t.Errorf("IndexText(%q) = %q, want %q", in, got, want)
		}
	}
	spam := slices.Repeat([]string{"foo", "foobar"}, 1000)
	if n := len(IndexText(spam)); n > 20_000 {
		t.Errorf("a text that repeats itself takes %d bytes", n)
	}
}
