package ingest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/schema"
)

// memory stands for Redis: plans read from it and are written to it as a lane
// does, one after the other.
type memory struct {
	state
	counts map[string]int64
}

func newMemory() *memory { return &memory{state: *newState(), counts: map[string]int64{}} }

// store applies events in one transaction, and what a notice about a user asks
// for in another.
func (m *memory) store(events []work) {
	s := newState()
	for q := s.missing(events); !q.empty(); q = s.missing(events) {
		m.answer(s, q)
	}
	p := newPlan(s)
	for _, e := range events {
		p.apply(e)
	}
	for id := range p.dirty {
		m.docs[id] = p.docs[id]
		if p.docs[id] == nil {
			delete(m.docs, id)
		}
	}
	for _, id := range p.buried {
		m.tombs[id] = true
	}
	maps.Copy(m.links, p.linked)
	for user := range p.scrubbed {
		m.scrubs[user] = p.scrubs[user]
	}
	for field := range p.noticed {
		m.withheld[field] = p.withheld[field]
	}
	for name, n := range p.counts {
		m.counts[name] += n
	}
	for _, e := range events {
		if e.sweeps() {
			m.sweep(string(e.event.Notice.UserID))
		}
	}
}

func (m *memory) answer(s *state, q question) {
	for _, id := range q.ids {
		s.docs[id] = m.docs[id]
		s.tombs[id] = m.tombs[id]
		if l, ok := m.links[id]; ok {
			s.links[id] = parseLink(l.String())
		}
	}
	for _, user := range q.users {
		s.scrubs[user] = m.scrubs[user]
	}
	for _, field := range q.withheld() {
		if n := m.withheld[field]; n != nil {
			s.withheld[field] = n
		}
	}
}

func (m *memory) sweep(user string) {
	var touched []work
	for id, doc := range m.docs {
		if authorOf(doc) == user {
			touched = append(touched, touch(id))
		}
	}
	if len(touched) > 0 {
		m.store(touched)
	}
}

// shown is what clients can see of the store.
func (m *memory) shown() map[string]schema.Tweet {
	shown := map[string]schema.Tweet{}
	for _, doc := range m.docs {
		shown[doc.Key()] = doc.Tweet
	}
	return shown
}

// observations are records of a few tweets: metrics and profiles that grow and
// shrink, texts cut and whole, tweets beside others, an edit chain of three,
// deletes. Each has its own time of observation, so that one result is right.
func observations(rng *rand.Rand) []schema.Event {
	var events []schema.Event
	chains := [][]string{{"1001"}, {"1002"}, {"1003", "1004", "1005"}, {"1006", "1007"}, {"1008"}}
	for i := range 30 {
		chain := chains[rng.IntN(len(chains))]
		n := rng.IntN(len(chain))
		t := observation(rng, chain[n], schema.Time(1_000_000+i))
		if rng.IntN(4) > 0 {
			t.EditHistoryIDs = slices.Clone(chain[:n+1+rng.IntN(len(chain)-n)])
		}
		kind := schema.KindTweet
		if rng.IntN(4) == 0 {
			kind = schema.KindReferenced
		}
		events = append(events, schema.Event{Kind: kind, Tweet: t})
	}
	for i, n := range []*schema.Notice{
		{UserID: "91008", TweetID: "1008"}, // scrubs
		{UserID: "91006", TweetID: "1005"}, // scrubs nothing: the user's tweets are newer
		{UserID: "91001", Withheld: &schema.Withheld{CountryCodes: []string{"AA"}, Scope: "user"}},
		{TweetID: "1001", Withheld: &schema.Withheld{CountryCodes: []string{"BB"}, Scope: "tweet"}},
		{TweetID: "1007", UserID: "91007", Withheld: &schema.Withheld{CountryCodes: []string{"CC"}, Scope: "tweet"}},
	} {
		if rng.IntN(2) == 0 {
			continue
		}
		kind := schema.KindScrubGeo
		if n.Withheld != nil {
			kind, n.ObservedAt = schema.KindWithheld, new(schema.Time(2_000_000+i))
		}
		events = append(events, schema.Event{Kind: kind, Notice: n})
	}
	for _, id := range []string{"1002", "1004", "1006", "1009"} {
		if rng.IntN(3) == 0 {
			events = append(events, schema.Event{Kind: schema.KindDelete, Notice: &schema.Notice{TweetID: schema.Opt(id)}})
		}
	}
	return events
}

func observation(rng *rand.Rand, id string, at schema.Time) *schema.Tweet {
	text := "the whole text of " + id
	t := &schema.Tweet{ID: id, RawText: text, Text: text, ObservedAt: &at}
	if rng.IntN(3) == 0 {
		t.RawText, t.Text, t.Truncated = text[:9], text[:9], true
	}
	if rng.IntN(3) == 0 {
		t.OriginalText = schema.Opt(text[:4+rng.IntN(9)])
	}
	maybe := func() *int64 {
		if rng.IntN(3) == 0 {
			return nil
		}
		return new(rng.Int64N(1000))
	}
	t.Metrics = schema.Metrics{Likes: maybe(), Retweets: maybe(), Impressions: maybe()}
	if rng.IntN(3) > 0 {
		t.Author = &schema.User{ID: "9" + id, ObservedAt: &at, FollowersCount: maybe(), Username: schema.Opt(fmt.Sprint("u", rng.IntN(3)))}
	}
	for i := range rng.IntN(3) {
		t.Hashtags = append(t.Hashtags, fmt.Sprint("tag", i))
		t.Mentions = append(t.Mentions, schema.Mention{Username: schema.Opt(fmt.Sprint("m", i))})
	}
	if rng.IntN(8) == 0 {
		t.Withheld = &schema.Withheld{CountryCodes: []string{id}}
	}
	if rng.IntN(3) == 0 {
		t.Location = &schema.Location{Latitude: float64(rng.IntN(80)), Longitude: 1}
		t.Place = &schema.Place{ID: "p1"}
	}
	return t
}

// TestAnyOrder: the same records, in any order, in any split into transactions
// and with repeats, make the same store.
func TestAnyOrder(t *testing.T) {
	hidden, buried, scrubbed, withheld := 0, 0, 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		events := observations(rng)
		var want map[string]schema.Tweet
		for try := range 8 {
			m := newMemory()
			place := uint64(1)
			queue := slices.Clone(events)
			for range rng.IntN(10) {
				queue = append(queue, events[rng.IntN(len(events))])
			}
			if try > 0 {
				rng.Shuffle(len(queue), func(i, j int) { queue[i], queue[j] = queue[j], queue[i] })
			}
			for len(queue) > 0 {
				n := 1 + rng.IntN(len(queue))
				var part []work
				for i := range queue[:n] {
					part = append(part, work{event: clone(t, &queue[i]), place: place})
					place++
				}
				queue = queue[n:]
				m.store(part)
			}
			got := m.shown()
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d try %d: another order made another store:\n%s", seed, try, diff)
			}
			buried += len(m.tombs)
			if doc := m.docs["1008"]; m.scrubs["91008"] != "" && authorOf(doc) == "91008" {
				scrubbed++
				if doc.Tweet.Location != nil || doc.Tweet.Place != nil {
					t.Fatalf("seed %d: a scrubbed tweet has a place", seed)
				}
			}
			for id := range m.tombs {
				if m.docs[id] != nil {
					t.Fatalf("seed %d: tweet %s is deleted and there", seed, id)
				}
			}
		}
		for key, tw := range want {
			if tw.Withheld != nil && tw.Withheld.Scope != "" {
				withheld++
			}
			if tw.SupersededBy != "" {
				hidden++
				if key != schema.HiddenKey(tw.ID) {
					t.Fatalf("seed %d: superseded tweet %s is under %s", seed, tw.ID, key)
				}
			}
		}
	}
	if hidden == 0 || buried == 0 || scrubbed == 0 || withheld == 0 {
		t.Errorf("%d superseded, %d deleted, %d scrubbed, %d withheld: the test shows too little", hidden, buried, scrubbed, withheld)
	}
}

// clone returns an event as the writer gets it: decoded from the stream.
func clone(t *testing.T, e *schema.Event) *schema.Event {
	data, err := schema.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	out := new(schema.Event)
	if err := schema.Decode(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCounts: what each tweet of the stream is counted as.
func TestCounts(t *testing.T) {
	at := func(n int64) *schema.Time { return new(schema.Time(n)) }
	tweet := func(likes int64, observed *schema.Time) *schema.Event {
		return &schema.Event{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: "7", Metrics: schema.Metrics{Likes: &likes}, ObservedAt: observed}}
	}
	for _, c := range []struct {
		name   string
		events []work
		want   map[string]int64
	}{
		{"new", []work{{event: tweet(1, nil), place: 1}}, map[string]int64{"stored": 1}},
		{"sent again", []work{{event: tweet(1, nil), place: 1}, {event: tweet(1, nil), place: 2}}, map[string]int64{"stored": 1, "duplicates": 1}},
		{"later line wins", []work{{event: tweet(1, nil), place: 1}, {event: tweet(2, nil), place: 2}}, map[string]int64{"stored": 1, "updated": 1}},
		{"newer", []work{{event: tweet(1, at(1)), place: 1}, {event: tweet(2, at(2)), place: 2}}, map[string]int64{"stored": 1, "updated": 1}},
		{"older", []work{{event: tweet(1, at(2)), place: 1}, {event: tweet(2, at(1)), place: 2}}, map[string]int64{"stored": 1, "duplicates": 1}},
		{"of an earlier run", []work{{event: tweet(1, nil), place: 1, leftover: true}}, map[string]int64{"stored": 1, "published": 1}},
		{"deleted", []work{{event: tweet(1, nil), place: 1}, {event: deleteOf("7"), place: 2}, {event: tweet(1, nil), place: 3}}, map[string]int64{"stored": 1, "deleted": 1, "duplicates": 1}},
	} {
		m := newMemory()
		for _, e := range c.events {
			m.store([]work{e})
		}
		if diff := cmp.Diff(c.want, m.counts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func deleteOf(id schema.Opt) *schema.Event {
	return &schema.Event{Kind: schema.KindDelete, Notice: &schema.Notice{TweetID: id}}
}

// TestEdits: of a chain the newest version that came in its own right is found,
// and each version is readable and shows the chain.
func TestEdits(t *testing.T) {
	version := func(kind schema.Kind, id string, history ...string) *schema.Event {
		return &schema.Event{Kind: kind, Tweet: &schema.Tweet{ID: id, EditHistoryIDs: history}}
	}
	const own, beside = schema.KindTweet, schema.KindReferenced
	for _, c := range []struct {
		name   string
		events []*schema.Event
		want   []string // keys
	}{
		{"in order", []*schema.Event{version(own, "11", "11"), version(own, "12", "11", "12")}, []string{"hidden:11", "tweet:12"}},
		{"newest first", []*schema.Event{version(own, "12", "11", "12"), version(own, "11", "11")}, []string{"hidden:11", "tweet:12"}},
		{"older without history", []*schema.Event{version(own, "12", "11", "12"), version(own, "11")}, []string{"hidden:11", "tweet:12"}},
		{"third version", []*schema.Event{version(own, "13", "11", "12", "13"), version(own, "11", "11"), version(own, "12", "11", "12")}, []string{"hidden:11", "hidden:12", "tweet:13"}},
		{"newer only beside another", []*schema.Event{version(own, "11", "11"), version(beside, "12", "11", "12")}, []string{"hidden:12", "tweet:11"}},
		{"newer beside, then itself", []*schema.Event{version(own, "11", "11"), version(beside, "12", "11", "12"), version(own, "12", "11", "12")}, []string{"hidden:11", "tweet:12"}},
		{"older only beside another", []*schema.Event{version(beside, "11", "11"), version(own, "12", "11", "12")}, []string{"hidden:11", "tweet:12"}},
		{"id of another length", []*schema.Event{version(own, "99", "99"), version(own, "100", "99", "100")}, []string{"hidden:99", "tweet:100"}},
		{"delete of the oldest", []*schema.Event{version(own, "12", "11", "12"), deleteOf("11")}, nil},
		{"delete of one not stored", []*schema.Event{version(own, "11", "11", "12"), deleteOf("12"), version(own, "13", "11", "12", "13")}, nil},
		{"delete of another", []*schema.Event{version(own, "12", "11", "12"), deleteOf("13")}, []string{"tweet:12"}},
	} {
		m := newMemory()
		for i, e := range c.events {
			m.store([]work{{event: clone(t, e), place: uint64(i + 1)}})
		}
		got := slices.Sorted(maps.Keys(m.shown()))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
