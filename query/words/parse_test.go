package words

import (
	"strings"
	"testing"

	"visualizer/schema"
)

func TestParse(t *testing.T) {
	long := strings.Repeat("é", schema.MaxWord)
	for in, want := range map[string]string{
		"": "nil", " \t\u00a0": "nil",
		"Kelp":                   `"kelp"`,
		"kelp tide kelp":         `"kelp" "tide"`,
		"a OR b c":               `"a" OR "b" "c"`,
		"a or b":                 `"a" "b" "or"`,
		"a OR OR b":              `"a" OR "b"`,
		"OR a OR":                `"a"`,
		"OR":                     `"or"`,
		"OR !!! OR":              `"or"`,
		"(OR)":                   `"or"`,
		`OR"a"`:                  `"a" "or"`,
		`"a"OR`:                  `"a" "or"`,
		`"a" OR "b"`:             `"a" OR "b"`,
		"a OR !!! b":             `"a" OR "b"`,
		"a OR a":                 `"a"`,
		"-OR":                    `-"or"`,
		"AND":                    `"and"`,
		"ＯＲ":                     `"or"`,
		"-a b":                   `"b" -"a"`,
		"- a":                    `"a"`,
		"--a (-b) -(c d":         `"d" -"a" -"b" -"c"`,
		"-AT&T":                  `-"at"+"t"`,
		"a-b":                    `"a"+"b"`,
		"a -b-c":                 `"a" -"b"+"c"`,
		"a OR -b":                `"a" OR -"b"`,
		`-"a b" c`:               `"c" -"a"+"b"`,
		`-"" a`:                  `"a"`,
		`"a"-b`:                  `"a" "b"`,
		`-"a"b`:                  `"b" -"a"`,
		`a"b c"d`:                `"a" "b"+"c" "d"`,
		`half"quote`:             `"half"+"quote"`,
		`"half quote`:            `"half" "quote"`,
		`"a b" "c`:               `"a"+"b" "c"`,
		`"a OR -b* c"`:           `"a"+"or"+"b"+"c"`,
		`""`:                     "holds no word",
		`ד"ר צה"ל`:               `"ד\"ר" "צה\"ל"`,
		"kel*":                   `"kel"*`,
		"ke*":                    `"ke"`,
		"c*":                     `"c"`,
		"(kelp**).":              `"kelp"*`,
		"kelp.*":                 `"kelp"`,
		"*kelp":                  `"kelp"`,
		"kelp*tide":              `"kelp"+"tide"`,
		"kelp*tide*":             `"kelp"+"tide"*`,
		"-kelp*":                 `-"kelp"*`,
		"at&tee*":                `"at"+"tee"*`,
		"テスト*":                   `"テ"+"ス"+"ト"`,
		"kel*\ufe0f\u20e3 -#x":   `"kel"+"*` + "\ufe0f\u20e3" + `" -"x"`,
		"🔥🔥":                     `"🔥"+"🔥"`,
		"🔥*":                     `"🔥"`,
		"!!!":                    "holds no word",
		"- * \"":                 "holds no word",
		long:                     `"` + long + `"`,
		long + "x":               "more than 64 characters",
		strings.Repeat("a ", 16): `"a"`,
		strings.Repeat("a ", 17): "more than 16 words",
		strings.Repeat("a-", 17): "more than 16 words",
		strings.Repeat("我", 17):  "more than 16 words",
	} {
		q, err := Parse(in)
		got := "nil"
		switch {
		case err != nil:
			got = err.Error()
		case q != nil:
			got = q.Canonical()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("Parse(%q) is %s, want %s", in, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		text, query string
		want        bool
	}{
		{"the university", "universe", false},
		{"the universe", "UNIVERSE", true},
		{"climate change", `"climate change"`, true},
		{"change the climate", `"climate change"`, false},
		{"change the climate", "climate change", true},
		{"a b", "-a", false},
		{"b", "-a", true},
		{"b", "a OR -c", true},
		{"c", "a OR -c", false},
		{"a b a", `"a b a b"`, false},
		{"a b a b", `"a b a b"`, true},
		{"state of the arts", "state-of-the-art*", true},
		{"state of the art", "-state-of", false},
		{"10y", "10i", false},
		{"", "-a", true},
		{"", "a", false},
	} {
		q, err := Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Match(schema.Words(c.text)); got != c.want {
			t.Errorf("%q matches %q: %v", c.query, c.text, got)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range [][]string{
		{"a b OR c", "c OR B a a", "(c) OR b! a OR C"},
		{`"a b"`, "a-b", `"A, b"`, "a&b"},
		{`-"kel"`, "-kel", "-#kel"},
	} {
		first := ""
		for _, text := range c {
			q, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Canonical(); first == "" {
				first = got
			} else if got != first {
				t.Errorf("%q is %s, %q is %s", c[0], first, text, got)
			}
		}
	}
	seen := map[string]string{}
	for _, text := range []string{"a b", "a-b", "a OR b", "a -b", "-a -b", "-a-b", "kelp", "kelp*", "a.b", `"a b" c`, "a b-c"} {
		q, _ := Parse(text)
		if other, taken := seen[q.Canonical()]; taken {
			t.Errorf("%q and %q are %s", text, other, q.Canonical())
		}
		seen[q.Canonical()] = text
	}
}
