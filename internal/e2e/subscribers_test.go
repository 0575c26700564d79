package e2e

import (
	"flag"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"visualizer/internal/allinone"
)

var manyTweets = flag.Int("subscribers-tweets", 5_000, "tweets that TestTenSubscribers sends")

// everything is asked for by followers, so that a tweet weighs something.
const everything = `subscription { tweetAdded { id text rawText createdAt author { id username } hashtags metrics { likes retweets } references { type id tweet { id text } } } }`

// TestTenSubscribers: of ten who follow, one stops reading and one is cut off
// without a word. The others are told of every tweet, all in the same order,
// ingest is as fast as without any, at a rate that leaves the clients of this
// process their time, and nothing is left of them in the end.
func TestTenSubscribers(t *testing.T) {
	l := startPiped(t, func(cfg *allinone.Settings) { cfg.Rate = new(float64(1_000)) })
	n := *manyTweets
	alone := l.timed(n)
	client.CloseIdleConnections()
	goroutines, heap := usage()

	address, err := url.Parse(l.url)
	if err != nil {
		t.Fatal(err)
	}
	var good []*follower
	for range 4 {
		good = append(good, followSocket(t, l.url, everything, nil), followEvents(t, l.url, everything, nil))
	}
	silent, err := openSocket(t.Context(), l.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.CloseNow()
	if err := wsjson.Write(t.Context(), silent, map[string]any{"type": "subscribe", "id": "1", "payload": map[string]any{"query": everything}}); err != nil {
		t.Fatal(err)
	}
	h := newHole(t, address.Host)
	cut := followSocket(t, "http://"+h.addr+address.Path, everything, nil)

	first := l.sendAndWait(n / 10)
	eventually(t, "the one that will be cut off is told", func() bool { return len(cut.told()) == len(first) })
	h.cut.Store(true)
	together := l.timed(n - n/10)
	eventually(t, "all are told", func() bool {
		return !slices.ContainsFunc(good, func(f *follower) bool { return len(f.told()) < n && f.ended() == "" })
	})
	told := good[0].told()
	l.inOrder(told, n)
	for i, f := range good {
		if got := f.told(); !slices.Equal(got, told) {
			t.Errorf("follower %d was told of %d tweets, want %d, or in another order (%s)", i, len(got), n, f.ended())
		}
	}
	alonePer, togetherPer := alone/time.Duration(n), together/time.Duration(n-n/10)
	t.Logf("a tweet took %v alone, %v while ten follow", alonePer, togetherPer)
	if togetherPer > 2*alonePer {
		t.Errorf("ingest took %v a tweet while ten follow, %v before", togetherPer, alonePer)
	}

	isClosed(t, h, silent)
	for _, f := range append(good, cut) {
		f.stop()
		<-f.end
	}
	silent.CloseNow()
	client.CloseIdleConnections()
	eventually(t, "nothing is left of those who followed", func() bool {
		g, m := usage()
		return g <= goroutines+3 && m <= heap+24<<20
	})
}

// isClosed: those who read nothing are cut off, by the ping at the latest. What
// they write is no sign that they read.
func isClosed(t *testing.T, h *hole, silent *websocket.Conn) {
	t.Helper()
	eventually(t, "who reads nothing is cut off", func() bool {
		return wsjson.Write(t.Context(), silent, map[string]any{"type": "pong"}) != nil
	})
	select {
	case <-h.closed:
	case <-time.After(patience):
		t.Error("who was cut off is still connected")
	}
}

// usage returns the goroutines and the heap of the program, in bytes.
func usage() (goroutines int, heap uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// timed sends n tweets and returns how long it took until they were stored.
func (p *piped) timed(n int) time.Duration {
	began := time.Now()
	p.sendAndWait(n)
	return time.Since(began)
}

func (p *piped) sendAndWait(n int) []string {
	p.t.Helper()
	ids := p.send(n)
	eventually(p.t, fmt.Sprintf("%d tweets are stored", n), func() bool { s := p.status(); return s.Stored == int64(p.next-firstPiped) && s.Pending == 0 })
	return ids
}

// inOrder checks that told are the last n tweets, each once, and that those of
// one lane come as they were sent.
func (p *piped) inOrder(told []string, n int) {
	p.t.Helper()
	want := make([]string, n)
	for i := range want {
		want[i] = fmt.Sprint(p.next - n + 1 + i)
	}
	if got := slices.Sorted(slices.Values(told)); !slices.Equal(got, want) {
		p.t.Errorf("told of %d tweets, want %d", len(got), n)
	}
	// Two lanes store at a time: what comes behind a later one is of the other,
	// so that all of it is at most two rising rows.
	if rows := risingRows(told); rows > 2 {
		p.t.Errorf("what was told is %d rows that rise, want one for each lane", rows)
	}
}

// risingRows returns the least number of rising rows that a list can be split
// into.
func risingRows(ids []string) int {
	var ends []string
	for _, id := range ids {
		// The row that ends highest below id; ends are sorted from high to low.
		i := slices.IndexFunc(ends, func(end string) bool { return end < id })
		if i < 0 {
			ends = append(ends, id)
			continue
		}
		ends[i] = id
	}
	return len(ends)
}
