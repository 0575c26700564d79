package schema

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
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
	s, err := ParseStatus(fields, []ServiceStatus{{State: StateFinished, Source: "b", Rate: 1}, {State: StateReconnecting, Source: "a", Rate: 2, LastError: "down"}}, Control{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Received != 15 || s.Pending != 3 || s.State != StateReconnecting || s.Source != "a b" || s.TweetsPerSecond != 3 || s.LastError != "down" {
		t.Errorf("status is %+v", s)
	}
	finished := []ServiceStatus{{State: StateFinished}}
	for _, c := range []struct {
		name      string
		services  []ServiceStatus
		control   Control
		published string
		want      StreamState
	}{
		{"the last service had finished", nil, Control{Version: 4}, "7", StateFinished},
		{"it had, and one that was killed had not", nil, Control{}, "10", StateOffline},
		{"one has finished, and one that was killed had not", finished, Control{}, "10", StateRunning},
		{"finished", finished, Control{}, "7", StateFinished},
		{"finished, and told to start again", finished, Control{Version: 1}, "7", StateConnecting},
		{"stopped", finished, Control{Version: 1, Stopped: true}, "7", StateStopped},
		{"stopped, and no service is there", nil, Control{Version: 1, Stopped: true}, "7", StateStopped},
	} {
		fields[StatusPublished] = c.published
		if s, err := ParseStatus(fields, c.services, c.control); err != nil || s.State != c.want {
			t.Errorf("%s: the state is %s, want %s (%v)", c.name, s.State, c.want, err)
		}
	}
	if s, _ = ParseStatus(nil, nil, Control{}); s.State != StateOffline {
		t.Errorf("of a line that never ran the state is %s", s.State)
	}
}

// TestControl: what is written is what is read.
func TestControl(t *testing.T) {
	for _, c := range []Control{{}, {Version: 1, Stopped: true}, {Version: 1 << 40}} {
		if got := ParseControl(c.Fields()); got != c {
			t.Errorf("control %+v is read as %+v", c, got)
		}
	}
}

// TestStoredReader: each entry is told once, and a gap is told.
func TestStoredReader(t *testing.T) {
	message := func(process string, numbers ...uint64) Stored {
		m := Stored{Process: process}
		for _, n := range numbers {
			m.Entries = append(m.Entries, OutboxEntry(n, strconv.FormatUint(10*n, 10)+" "+strconv.FormatUint(10*n+1, 10)))
		}
		return m
	}
	var r StoredReader
	for _, c := range []struct {
		m    Stored
		want string
		gap  bool
	}{
		{message("p", 7, 8), "70 71 80 81", false}, // it begins anywhere
		{message("p", 9), "90 91", false},
		{message("p", 8, 9), "", false},
		{message("p", 7, 8, 9, 10), "100 101", false},
		{message("p", 12), "120 121", true},
		{message("p", 11, 12, 13), "130 131", false},
		{message("p", 14, 16), "160 161", true},
		{message("q", 15), "150 151", true},
		{message("q", 16), "160 161", false},
		{message("q"), "", false},
	} {
		ids, err := r.Next(c.m)
		if got := strings.Join(ids, " "); got != c.want || (err != nil) != c.gap {
			t.Errorf("of %+v the reader tells %q, %v, want %q, gap %v", c.m, got, err, c.want, c.gap)
		}
	}
}

// TestFoldOnce: folding what is folded changes nothing, and both cases of a
// letter meet.
func TestFoldOnce(t *testing.T) {
	for r := rune(0x80); r <= 0x1FFFF; r++ {
		if r >= 0xD800 && r <= 0xDFFF {
			continue
		}
		once := Fold(string(r))
		if twice := Fold(once); twice != once {
			t.Errorf("Fold(%q) is %q, folded again %q", r, once, twice)
		}
		if up, low := Fold(string(unicode.ToUpper(r))), Fold(string(unicode.ToLower(r))); unicode.SimpleFold(unicode.ToUpper(r)) == unicode.ToLower(r) && up != low {
			t.Errorf("%q folds to %q in upper and %q in lower case", r, up, low)
		}
	}
}

func TestDateTimeInput(t *testing.T) {
	for in, want := range map[string]Time{
		"1970-01-01T00:00:00Z":             0,
		"1970-01-01T00:00:00.0005Z":        1,
		"1970-01-01T00:00:00.000000001Z":   1,
		"1970-01-01T00:00:00.001Z":         1,
		"1969-12-31T23:59:59.9995Z":        0,
		"1970-01-01T01:00:00.002000+01:00": 2,
	} {
		var got Time
		if err := got.UnmarshalGQL(in); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", in, got, err, want)
		}
	}
}
