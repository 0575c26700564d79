package faults

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"visualizer/ingest/sim"
	"visualizer/internal/index"
	"visualizer/schema"
)

// settle ends the feed and returns when all of it is stored and on disk.
func (r *rig) settle(s *service) {
	r.t.Helper()
	r.feed.end()
	var last string
	r.feed.truth.All(func(id string, f *sim.Fate) bool {
		if f.Found() {
			last = id
		}
		return true
	})
	eventually(r.t, "the last tweet is there", func() bool {
		n, err := r.redis.Do(r.t.Context(), r.redis.B().Exists().Key(schema.TweetKey(last)).Build()).AsInt64()
		return err == nil && n == 1
	})
	eventually(r.t, "nothing is pending", func() bool {
		n, ok := s.metric("visualizer_ingest_pending_messages")
		lag, _ := s.metric("visualizer_ingest_lag_seconds")
		return ok && n == 0 && lag == 0 && r.status().Pending == 0
	})
	eventually(r.t, "it is ready", func() bool { return s.ready() == "" })
}

// check compares what is stored with what the feed has made.
func (r *rig) check() {
	r.t.Helper()
	r.checkTweets()
	r.checkIndex()
	r.checkLetters()
	r.checkStatus()
}

// checkTweets: each tweet is there once, with its newest metrics; a deleted or
// superseded one is not.
func (r *rig) checkTweets() {
	r.t.Helper()
	missing, extra, wrong, found := 0, 0, 0, 0
	var ids []string
	compare := func() {
		keys := make([]string, len(ids))
		for i, id := range ids {
			keys[i] = schema.TweetKey(id)
		}
		docs, err := r.redis.Do(r.t.Context(), r.redis.B().JsonMget().Key(keys...).Path(".t.metrics").Build()).ToArray()
		if err != nil {
			r.t.Fatal(err)
		}
		for i, id := range ids {
			fate, _ := r.feed.truth.Get(id)
			text, err := docs[i].ToString()
			switch there := err == nil; {
			case there != fate.Found() && there:
				extra++
			case there != fate.Found():
				missing++
				r.t.Logf("tweet %s is missing", id)
			case there && !sameMetrics(r.t, text, fate.Metrics):
				wrong++
				r.t.Logf("tweet %s has %s, want %d likes", id, text, *fate.Metrics.Likes)
			case there:
				found++
			}
		}
		ids = ids[:0]
	}
	for id := range r.feed.truth.All {
		if ids = append(ids, id); len(ids) == 500 {
			compare()
		}
	}
	compare()
	r.t.Logf("%d tweets made, %d resent, %d deletes, %d again by reconnecting; %d found", r.feed.tweets, r.feed.truth.Resent, r.feed.truth.Deletes, r.feed.repeats, found)
	if missing+extra+wrong > 0 || found == 0 {
		r.t.Errorf("%d tweets are missing, %d deleted or superseded ones are there, %d have other metrics", missing, extra, wrong)
	}
}

func sameMetrics(t interface{ Fatal(...any) }, text string, want schema.Metrics) bool {
	var got schema.Metrics
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	return *got.Likes == *want.Likes && *got.Retweets == *want.Retweets && *got.Replies == *want.Replies && *got.Impressions == *want.Impressions
}

// checkIndex: there are as many keys as found tweets, all of them indexed.
func (r *rig) checkIndex() {
	r.t.Helper()
	ctx, want := r.t.Context(), r.feed.truth.Found()
	keys := map[string]bool{} // a scan may name one twice
	for cursor := uint64(0); ; {
		page, err := r.redis.Do(ctx, r.redis.B().Scan().Cursor(cursor).Match(schema.TweetPrefix+"*").Count(5000).Build()).AsScanEntry()
		if err != nil {
			r.t.Fatal(err)
		}
		for _, key := range page.Elements {
			keys[key] = true
		}
		if cursor = page.Cursor; cursor == 0 {
			break
		}
	}
	indexed, _, err := r.redis.Do(ctx, r.redis.B().FtSearch().Index(schema.IndexAlias).Query("*").Limit().OffsetNum(0, 0).Build()).AsFtSearch()
	if err != nil {
		r.t.Fatal(err)
	}
	failures, err := index.Failures(ctx, r.redis)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(keys) != want || indexed != int64(want) || failures != 0 {
		r.t.Errorf("%d tweet keys, %d indexed, %d indexing failures; want %d, all indexed", len(keys), indexed, failures, want)
	}
}

// checkLetters: the dead letters are the garbage that was made, no more often
// than it was sent.
func (r *rig) checkLetters() {
	r.t.Helper()
	kept, reasons := r.letters()
	made, total := 0, 0
	for line, g := range r.feed.garbage {
		made += g.made
		total += kept[line]
		if kept[line] < g.made || kept[line] > g.sent || reasons[line] != g.reason {
			r.t.Errorf("garbage of reason %s was made %d times, sent %d times and kept %d times as %s: %.80s", g.reason, g.made, g.sent, kept[line], reasons[line], line)
		}
	}
	for line := range kept {
		if r.feed.garbage[line] == nil {
			r.t.Errorf("a dead letter is no garbage: %s: %.80s", reasons[line], line)
		}
	}
	r.t.Logf("%d lines of garbage made, %d dead letters", made, total)
	if made == 0 {
		r.t.Error("there was no garbage")
	}
}

// letters returns how often each record is kept, and for what reason.
func (r *rig) letters() (kept map[string]int, reasons map[string]schema.Reason) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	stream, err := r.js.Stream(ctx, schema.StreamDeadLetters)
	if err != nil {
		r.t.Fatal(err)
	}
	kept, reasons = map[string]int{}, map[string]schema.Reason{}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		r.t.Fatal(err)
	}
	for left := stream.CachedInfo().State.Msgs; left > 0; left-- {
		msg, err := consumer.Next(jetstream.FetchMaxWait(10 * time.Second))
		if err != nil {
			r.t.Fatal(err)
		}
		var letter schema.DeadLetter
		if err := schema.Decode(msg.Data(), &letter); err != nil {
			r.t.Fatal(err)
		}
		line := core(string(letter.Raw))
		kept[line]++
		reasons[line] = letter.Reason
	}
	return kept, reasons
}

// checkStatus: the sums add up, and nothing was refused for lack of room.
func (r *rig) checkStatus() {
	r.t.Helper()
	s := r.status()
	sum := s.Stored + s.Updated + s.Duplicates + s.Pending
	for _, c := range s.Control {
		sum += c.Count
	}
	for _, c := range s.Rejected {
		sum += c.Count
		if c.Reason == string(schema.BufferFull) {
			r.t.Errorf("%d records found no room", c.Count)
		}
	}
	if sum != s.Received || s.Pending != 0 {
		r.t.Errorf("received %d, but the parts are %d: %+v", s.Received, sum, s)
	}
	r.t.Logf("status %+v", s)
}

// fired counts faults that have proven that they happened.
type fired map[string]int

func (f fired) String() string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(f)) {
		text += " " + name + " " + strconv.Itoa(f[name])
	}
	return text
}
