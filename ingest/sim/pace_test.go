package sim

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// note is one write of the server.
type note struct {
	at   time.Duration // since the request
	text string
}

// notes is the client side of a response in a bubble of fake time.
type notes struct {
	header http.Header
	began  time.Time
	all    []note
	unsent strings.Builder
	// after is called with each write, before it returns.
	after func(note)
}

func (n *notes) Header() http.Header                { return n.header }
func (n *notes) WriteHeader(int)                    {}
func (n *notes) Write(b []byte) (int, error)        { return n.unsent.Write(b) }
func (n *notes) SetWriteDeadline(t time.Time) error { return nil }

func (n *notes) FlushError() error {
	w := note{time.Since(n.began), n.unsent.String()}
	n.unsent.Reset()
	n.all = append(n.all, w)
	if n.after != nil {
		n.after(w)
	}
	return nil
}

// record runs a request in fake time until the stream is that old, and returns
// the writes, the first of which is that of the headers.
func record(t *testing.T, cfg Config, life time.Duration) []note {
	t.Helper()
	cfg.World = NewWorldWith(41, small())
	var out *notes
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), life)
		defer cancel()
		out = &notes{header: http.Header{}, began: time.Now()}
		NewServer(cfg).ServeHTTP(out, httptest.NewRequestWithContext(ctx, http.MethodGet, StreamPath, nil))
		if took := time.Since(out.began); took > life+time.Second {
			t.Errorf("the stream outlived its client by %v", took-life)
		}
	})
	if len(out.all) == 0 || out.all[0] != (note{}) {
		t.Fatalf("the headers were not sent at once: %v", out.all)
	}
	return out.all[1:]
}

// tweets counts new tweets among lines.
func tweets(t *testing.T, seen map[string]bool, text string) int {
	before := len(seen)
	for _, line := range splitLines(text) {
		if line == "" {
			continue
		}
		if w := parse(t, line); w.tweet() {
			seen[w.Data.ID] = true
		}
	}
	return len(seen) - before
}

func TestPace(t *testing.T) {
	for _, c := range []struct {
		rate     float64
		most     int           // tweets in one write
		pause    time.Duration // between writes
		seconds  int
		lowWrite int // writes a second at least
	}{
		{rate: 50, most: 1, pause: 35 * time.Millisecond, seconds: 10, lowWrite: 45},
		{rate: 5000, most: 60, pause: 10 * time.Millisecond, seconds: 1, lowWrite: 150},
	} {
		life := time.Duration(c.seconds) * time.Second
		all := record(t, Config{Rate: c.rate}, life)
		total, last, seen := 0, time.Duration(0), map[string]bool{}
		for _, n := range all {
			got := tweets(t, seen, n.text)
			if total += got; got > c.most {
				t.Errorf("rate %v: %d tweets in one write", c.rate, got)
			}
			if n.at-last > c.pause {
				t.Errorf("rate %v: a pause of %v", c.rate, n.at-last)
			}
			last = n.at
		}
		if want := c.rate * life.Seconds(); float64(total) < want*.93 || float64(total) > want*1.07 {
			t.Errorf("rate %v: %d tweets in %v", c.rate, total, life)
		}
		if len(all) < c.lowWrite*c.seconds {
			t.Errorf("rate %v: %d writes in %v", c.rate, len(all), life)
		}
	}
}

// A stream with nothing to say says so at least every 20 s.
func TestKeepAlive(t *testing.T) {
	all := record(t, Config{Rate: 1.0 / 100}, 10*time.Minute)
	blank, last := 0, time.Duration(0)
	for _, n := range all {
		if n.at-last > 20*time.Second {
			t.Errorf("quiet from %v to %v", last, n.at)
		}
		if last = n.at; n.text == lineEnd {
			blank++
		}
	}
	if blank < 20 || blank == len(all) {
		t.Errorf("%d blank lines of %d writes", blank, len(all))
	}
	busy := record(t, Config{Rate: 10}, time.Minute)
	for _, n := range busy {
		if n.text == lineEnd {
			t.Fatalf("a blank line at %v of a busy stream", n.at)
		}
	}
}

// A stream that was held up catches up for a second's worth, not for all.
func TestDebtIsDropped(t *testing.T) {
	p := pace{step: float64(10 * time.Millisecond), due: start}
	if n := p.take(start.Add(time.Hour)); n < 90 || n > 115 {
		t.Errorf("%d tweets after an hour at 100/s, want about 100", n)
	}
	if n := p.take(start.Add(time.Hour)); n != 0 {
		t.Errorf("%d tweets more at the same moment", n)
	}
}

// Tweets are made at the time the server is told, and the world stands still
// between connections.
func TestNow(t *testing.T) {
	at := start
	now := func() time.Time {
		at = at.Add(time.Second)
		return at
	}
	all := record(t, Config{Limit: 3, Now: now}, time.Minute)
	first := parse(t, splitLines(all[0].text)[0])
	if want := "2026-03-01T12:00:01.000Z"; first.Data.CreatedAt != want {
		t.Errorf("created_at %s, want %s", first.Data.CreatedAt, want)
	}
}

// The client's leaving ends an unpaced stream too, though it never waits.
func TestClientGone(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	out := &notes{header: http.Header{}, began: time.Now()}
	out.after = func(note) {
		if len(out.all) == 10 {
			leave()
		}
	}
	s := NewServer(Config{World: NewWorldWith(42, small())})
	s.ServeHTTP(out, httptest.NewRequestWithContext(ctx, http.MethodGet, StreamPath, nil))
	if len(out.all) != 10 {
		t.Errorf("%d writes, want 10", len(out.all))
	}
	if len(s.seat) != 0 {
		t.Error("the seat is still taken")
	}
}
