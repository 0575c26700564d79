package schema

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParseID(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint64
		ok   bool
	}{
		{"1", 1, true},
		{"9999999999999999999", 9999999999999999999, true},
		{"0", 0, false}, {"", 0, false}, {"01", 0, false}, {"+1", 0, false}, {"-1", 0, false},
		{"1 ", 0, false}, {"1e3", 0, false}, {"10000000000000000000", 0, false}, {"١", 0, false},
	} {
		if got, ok := ParseID(c.in); got != c.want || ok != c.ok {
			t.Errorf("ParseID(%q) = %d, %v, want %d, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestParseDateTime(t *testing.T) {
	for in, want := range map[string]string{
		"2023-03-14T09:26:53Z":                 "2023-03-14T09:26:53.000Z",
		"2023-03-14t09:26:53z":                 "2023-03-14T09:26:53.000Z",
		"2023-03-14T09:26:53.1Z":               "2023-03-14T09:26:53.100Z",
		"2023-03-14T09:26:53.123999999Z":       "2023-03-14T09:26:53.123Z",
		"2023-03-14T09:26:53.000+01:30":        "2023-03-14T07:56:53.000Z",
		"1969-12-31T23:59:59.999Z":             "1969-12-31T23:59:59.999Z",
		"9999-12-31T23:59:59Z":                 "9999-12-31T23:59:59.000Z",
		"2023-03-14":                           "",
		"2023-03-14T09:26:53":                  "",
		"2023-03-14 09:26:53Z":                 "",
		"2023-03-14T09:26:53,5Z":               "",
		"2023-03-14T09:26:53.1234567891Z":      "",
		"2023-03-14T09:26:53+24:00":            "",
		"Tue Mar 14 09:26:53 +0000 2023":       "",
		"":                                     "",
		"2023-02-30T09:26:53Z":                 "",
		strings.Repeat("2023-03-14T09:26", 99): "",
	} {
		got, err := ParseDateTime(in)
		if want == "" && err == nil || want != "" && (err != nil || got.String() != want) {
			t.Errorf("ParseDateTime(%.40q) = %v, %v, want %q", in, got, err, want)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"GoLang": "golang", "ｇｏｌａｎｇ": "golang", "CAFÉ": "café", "cafe\u0301": "café",
		"ÑANDÚ": "ñandú", "МИР": "мир", "ß": "ss", "ı": "ı", "ไม้": "ไม้", "": "",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
		if again := Fold(Fold(in)); again != Fold(in) {
			t.Errorf("Fold(%q) folds further to %q", in, again)
		}
	}
}

func TestDecodeText(t *testing.T) {
	const raw = `R&amp;D &lt;3 &#39;quoted&#39; &quot;x&quot; &amp;amp; &nbsp; &AMP; &amp`
	if got, want := DecodeText(raw), `R&D <3 'quoted' "x" &amp; &nbsp; &AMP; &amp`; got != want {
		t.Errorf("DecodeText = %q, want %q", got, want)
	}
}

// TestMoment: the key sorts as (createdAt, id) does, and survives the way as a
// decimal number through a double.
func TestMoment(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type tweet struct {
		at Time
		id string
	}
	var tweets []tweet
	for range 20_000 {
		made := Time(1_600_000_000_000 + rng.Int64N(5000))
		at := made
		switch rng.IntN(4) {
		case 0:
			at = made / 1000 * 1000
		case 1:
			at = Time(rng.Int64N(500_000_000_000_000) - 62_000_000_000_000)
		}
		id := Snowflake(made, rng.Uint32N(1<<22))
		if rng.IntN(10) == 0 {
			id = strconv.Itoa(1 + rng.IntN(1_000_000))
		}
		tweets = append(tweets, tweet{at, id})
	}
	slices.SortFunc(tweets, func(a, b tweet) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return CompareID(a.id, b.id)
	})
	last := Moment(-1 << 62)
	for _, tw := range tweets {
		m := *NewMoment(&tw.at, tw.id)
		if m < last {
			t.Fatalf("tweet %s of %v sorts before an earlier one", tw.id, tw.at)
		}
		last = m
		f, err := strconv.ParseFloat(m.String(), 64)
		if err != nil || MomentOf(f) != m {
			t.Fatalf("%d stands as %s and is read as %d, %v", m, m, MomentOf(f), err)
		}
		if m < MomentAt(tw.at) || m >= MomentAt(tw.at+1) {
			t.Fatalf("%s is outside the millisecond %v", m, tw.at)
		}
	}
}

func TestTagValue(t *testing.T) {
	seen := map[string]string{}
	for _, in := range []string{"a", " a", "a ", "a\\", "a\x00", "\x02a", "\x02IGE", strings.Repeat("x", 1024), strings.Repeat("x", 1025), strings.Repeat("x", 1026), "日本語"} {
		v := TagValue(in)
		if other, taken := seen[v]; taken {
			t.Errorf("%.20q and %.20q stand as the same tag", in, other)
		}
		seen[v] = in
		if v != strings.TrimSpace(v) || strings.ContainsAny(v, "\x00\\") {
			t.Errorf("%.20q stands as %.20q, which RediSearch would read as another", in, v)
		}
	}
	if TagValue("kelp") != "kelp" {
		t.Error("a plain tag stands in another spelling")
	}
}

// TestTweetJSON: a tweet comes back as it was, and its text is written once.
func TestTweetJSON(t *testing.T) {
	long := strings.Repeat("x", 900_000)
	for _, raw := range []string{"", "plain", "R&amp;D", "&", long} {
		in := Event{Kind: KindTweet, Tweet: &Tweet{ID: "1", RawText: raw, Text: DecodeText(raw)}}
		data, err := Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		var out Event
		if err := Decode(data, &out); err != nil || out.Tweet.Text != in.Tweet.Text || out.Tweet.RawText != raw {
			t.Errorf("%.20q came back as %.20q, %v", raw, out.Tweet.Text, err)
		}
		if len(data) > MaxEventBytes {
			t.Errorf("a text of %d bytes takes %d", len(raw), len(data))
		}
	}
}

// TestStatus: the parts add up, and the line is in the busiest of its services'
// states.
func TestStatus(t *testing.T) {
	fields := map[string]string{
		StatusPublished: "10", StatusStored: "4", StatusUpdated: "2", StatusDuplicates: "1",
		StatusControl + "limit": "3", StatusRejected + "bad_json": "2",
		StatusLast: `{"state":"FINISHED","source":"old"}`,
	}
	s, err := ParseStatus(fields, []ServiceStatus{{State: StateFinished, Source: "b", Rate: 1}, {State: StateReconnecting, Source: "a", Rate: 2, LastError: "down"}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Received != 15 || s.Pending != 3 || s.State != StateReconnecting || s.Source != "a b" || s.TweetsPerSecond != 3 || s.LastError != "down" {
		t.Errorf("status is %+v", s)
	}
	if s, _ = ParseStatus(fields, nil); s.State != StateFinished || s.Source != "old" {
		t.Errorf("with no service alive the status is %+v", s)
	}
	if s, _ = ParseStatus(nil, nil); s.State != StateOffline {
		t.Errorf("of a line that never ran the state is %s", s.State)
	}
}
