package sim

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"visualizer/schema"
)

func TestSameSeedSameBytes(t *testing.T) {
	sum := func(seed uint64, o Options) [32]byte {
		return sha256.Sum256([]byte(strings.Join(lines(NewWorldWith(seed, o), 3000), "\n")))
	}
	watched := small()
	watched.Emitted = func(Emission) {}
	first := sum(7, small())
	if first != sum(7, small()) {
		t.Error("two worlds of one seed differ")
	}
	if first != sum(7, watched) {
		t.Error("a world that is watched differs")
	}
	if first == sum(8, small()) {
		t.Error("two seeds make the same world")
	}
}

func TestNextAppends(t *testing.T) {
	w := NewWorldWith(1, small())
	got := w.Next([]byte("before"), start)
	if !bytes.HasPrefix(got, []byte("before{")) || !bytes.HasSuffix(got, []byte("}\r\n")) {
		t.Errorf("got %.40q … %q", got, got[len(got)-10:])
	}
}

// Every line is a tweet or a notice, and a tweet has what the API always
// delivers.
func TestShapes(t *testing.T) {
	for _, line := range lines(NewWorldWith(2, small()), 5000) {
		w := parse(t, line)
		d := &w.Data.wireTweet
		switch {
		case w.Delete != nil:
			if s := w.Delete.Status; s.ID.String() != s.IDStr || !schema.ValidID(s.UserStr) {
				t.Fatalf("notice %s", line)
			}
		case w.Data.Delete != nil:
			if !schema.ValidID(w.Data.Delete.Tweet.ID) || w.Data.Delete.EventAt == "" {
				t.Fatalf("notice %s", line)
			}
		case d.Text == "" || d.Lang == "" || d.Metrics == nil || d.Sensitive == nil || !schema.ValidID(d.AuthorID) ||
			!schema.ValidID(d.Conversation) || len(d.History) == 0 || d.History[len(d.History)-1] != d.ID:
			t.Fatalf("tweet %s", line)
		}
	}
}

// A tweet refers to an older one, even in a world that remembers hardly any and
// could choose the tweet it is making.
func TestReferencesPointBack(t *testing.T) {
	o := small()
	o.Authors, o.Recent = 100, 4
	refs := 0
	for _, line := range lines(NewWorldWith(16, o), 5000) {
		d := parse(t, line).Data
		for _, r := range d.Refs {
			if refs++; schema.CompareID(r.ID, d.ID) >= 0 {
				t.Fatalf("%s refers to %s", d.ID, r.ID)
			}
		}
		if schema.CompareID(d.Conversation, d.ID) > 0 {
			t.Fatalf("%s is of conversation %s", d.ID, d.Conversation)
		}
	}
	if refs < 1000 {
		t.Errorf("%d references", refs)
	}
}

func TestIDsGrowAndTellTheTime(t *testing.T) {
	var last uint64
	seen := map[string]bool{}
	for i, line := range lines(NewWorldWith(3, small()), 5000) {
		w := parse(t, line)
		if !w.tweet() || seen[w.Data.ID] {
			continue // a notice, or a tweet again
		}
		seen[w.Data.ID] = true
		id, ok := schema.ParseID(w.Data.ID)
		if !ok || id <= last {
			t.Fatalf("line %d: id %s after %d", i, w.Data.ID, last)
		}
		last = id
		made, _ := schema.SnowflakeTime(w.Data.ID)
		shown, err := schema.ParseDateTime(w.Data.CreatedAt)
		if err != nil || shown != made-made%1000 {
			t.Fatalf("line %d: created_at %s (%v), id made at %s", i, w.Data.CreatedAt, err, made)
		}
	}
	if len(seen) != 5000 {
		t.Errorf("%d tweets, want 5000", len(seen))
	}
}

// The same time again, or an earlier one, must not repeat an id.
func TestIDsGrowWhenTimeStandsOrGoesBack(t *testing.T) {
	w := NewWorldWith(4, small())
	var last uint64
	for i := range 200_000 {
		w.now = max(w.now, schema.TimeOf(start)-schema.Time(i%3))
		id, at := w.stamp()
		if id <= last {
			t.Fatalf("id %d after %d", id, last)
		}
		if made, _ := schema.SnowflakeTime(formatID(id)); made != at {
			t.Fatalf("id %d says %s, want %s", id, made, at)
		}
		last = id
	}
}

// A test in fake time lives in the year 2000, when there were no snowflakes.
func TestTimeBeginsAtGenesis(t *testing.T) {
	w := NewWorldWith(4, small())
	line := w.Next(nil, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	if d := parse(t, string(line)).Data; d.CreatedAt != genesis.Format(schema.DateTimeFormat) || !schema.ValidID(d.ID) {
		t.Errorf("id %s created at %s", d.ID, d.CreatedAt)
	}
}

func TestCreatedAtMillis(t *testing.T) {
	o := small()
	o.CreatedAtMillis = true
	w := parse(t, lines(NewWorldWith(5, o), 1)[0])
	if want := schema.TimeOf(start).String(); w.Data.CreatedAt != want {
		t.Errorf("created_at %s, want %s", w.Data.CreatedAt, want)
	}
}

func TestClump(t *testing.T) {
	o := small()
	o.Clump, o.Resend, o.Delete = 5, 0, 0
	times := map[schema.Time]int{}
	for _, line := range lines(NewWorldWith(6, o), 50) {
		at, _ := schema.SnowflakeTime(parse(t, line).Data.ID)
		times[at]++
	}
	if len(times) != 10 {
		t.Errorf("50 tweets lie in %d milliseconds: %v", len(times), times)
	}
}

// Entities cut out of the raw text by code points must be what they name.
func TestEntityOffsets(t *testing.T) {
	counted := map[string]int{}
	for _, line := range lines(NewWorldWith(7, small()), 5000) {
		w := parse(t, line)
		for _, tweet := range append(w.Includes.Tweets, w.Data.wireTweet) {
			checkEntities(t, counted, tweet.Text, tweet.Entities)
			if tweet.Note != nil {
				counted["note"]++
				checkEntities(t, counted, tweet.Note.Text, tweet.Note.Entities)
			}
		}
	}
	for _, kind := range []string{"#", "$", "@", "url", "annotation", "note", "astral before", "escape before", fullwidthSign} {
		if counted[kind] == 0 {
			t.Errorf("no %s in the whole world: %v", kind, counted)
		}
	}
}

func checkEntities(t *testing.T, counted map[string]int, text string, e wireEntities) {
	t.Helper()
	runes := []rune(text)
	check := func(at wireSpan, kind, want string) {
		t.Helper()
		if at.Start < 0 || at.End > len(runes) || string(runes[at.Start:at.End]) != want {
			t.Fatalf("%s %q is not at %v of %q", kind, want, at, text)
		}
		counted[kind]++
		if before := string(runes[:at.Start]); strings.ContainsRune(before, '🌊') {
			counted["astral before"]++
		} else if strings.Contains(before, "&amp;") {
			counted["escape before"]++
		}
	}
	for _, h := range e.Hashtags {
		if sign := string(runes[h.Start]); sign == fullwidthSign {
			check(h.wireSpan, sign, sign+h.Tag)
			continue
		}
		check(h.wireSpan, "#", "#"+h.Tag)
	}
	for _, c := range e.Cashtags {
		check(c.wireSpan, "$", "$"+c.Tag)
	}
	for _, m := range e.Mentions {
		check(m.wireSpan, "@", "@"+m.Username)
	}
	for _, u := range e.URLs {
		check(u.wireSpan, "url", u.URL)
	}
	for _, a := range e.Annotations { // their end is inside
		check(wireSpan{a.Start, a.End + 1}, "annotation", a.Text)
	}
}

// What the world remembers must not grow with what it made.
func TestMemoryIsBounded(t *testing.T) {
	w := NewWorldWith(8, small())
	var b []byte
	at := start
	run := func(n int) uint64 {
		for range n {
			at = at.Add(time.Millisecond)
			b = w.Next(b[:0], at)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	young := run(10_000)
	old := run(30_000)
	if limit := young + young/5 + 1<<20; old > limit {
		t.Errorf("%d bytes after 40,000 tweets, %d after 10,000", old, young)
	}
	if n := len(w.memory.byID); n > len(w.memory.ring) {
		t.Errorf("%d ids are known, the ring holds %d", n, len(w.memory.ring))
	}
}

func TestUsernames(t *testing.T) {
	w := NewWorld(9)
	seen, ids := map[string]bool{}, map[uint64]bool{}
	for _, a := range w.people.all {
		lower := strings.ToLower(a.username)
		if seen[lower] || ids[a.id] || len(a.username) > maxUsername || strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			t.Fatalf("author %+v", a)
		}
		seen[lower], ids[a.id] = true, true
	}
	if n := len(seen); n < 19_000 || n > 20_100 {
		t.Errorf("%d authors, want about 20,000", n)
	}
}

func TestWordsFit(t *testing.T) {
	for _, l := range spoken {
		if len(l.parts) != 4 || len(l.parts[subjectPart])%len(topics) != 0 {
			t.Errorf("%s: %d parts, %d subjects for %d topics", l.code, len(l.parts), len(l.parts[subjectPart]), len(topics))
		}
		for _, part := range l.parts {
			sorted := slices.Sorted(slices.Values(part))
			if n := len(slices.Compact(sorted)); n != len(part) {
				t.Errorf("%s: a phrase stands twice in %q", l.code, part)
			}
		}
	}
}

func TestTagsAreTags(t *testing.T) {
	all := slices.Clone(NewWorldWith(1, small()).tags.latin)
	for _, l := range spoken {
		all = append(all, l.tags...)
	}
	for _, tag := range all {
		if strings.ContainsAny(tag, " -#|.!") || tag == "" {
			t.Errorf("%q is no hashtag", tag)
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(all)))); n < 550 {
		t.Errorf("%d hashtags", n)
	}
}

func ExampleWorld_Next() {
	w := NewWorld(1)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	line := w.Next(nil, at)
	fmt.Printf("%s…\n", line[:27]) // the id is a snowflake of that moment
	// Output: {"data":{"id":"202807779144…
}
