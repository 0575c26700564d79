package source

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"visualizer/schema"
)

// pipes is a network in a synctest bubble: time passes only when all wait.
type pipes struct {
	t        *testing.T
	incoming chan net.Conn
	began    time.Time

	mu      sync.Mutex
	open    int
	dials   []time.Duration // when each connection was opened, since began
	queries []string        // backfill_minutes of each request
	closing time.Duration   // how long a client's close takes
}

// newPipes serves answers on a network of its own, one connection after the
// other; the last is given again and again.
func newPipes(t *testing.T, answers ...answer) *pipes {
	p := &pipes{t: t, incoming: make(chan net.Conn), began: time.Now()}
	n := 0
	s := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		n++
		a := answers[min(n, len(answers))-1]
		p.queries = append(p.queries, r.URL.Query().Get("backfill_minutes"))
		p.mu.Unlock()
		a(w, r)
	})}
	go s.Serve(p)
	t.Cleanup(func() { s.Close(); time.Sleep(time.Minute) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.incoming
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p *pipes) Close() error   { close(p.incoming); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial opens a connection and notes when, and that no other is open.
func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dials = append(p.dials, time.Since(p.began))
	if p.open++; p.open > 1 {
		p.t.Error("two connections at once")
	}
	p.incoming <- server
	return &pipe{Conn: client, p: p}, nil
}

type pipe struct {
	net.Conn
	p    *pipes
	once sync.Once
}

func (c *pipe) Close() error {
	c.once.Do(func() {
		time.Sleep(c.p.closing)
		c.p.mu.Lock()
		c.p.open--
		c.p.mu.Unlock()
	})
	return c.Conn.Close()
}

// client returns an X on this network, on the bubble's clock.
func (p *pipes) client(change func(*XConfig)) *client {
	p.t.Helper()
	c := &client{}
	token, err := NewToken(canary)
	if err != nil {
		p.t.Fatal(err)
	}
	cfg := XConfig{URL: "http://x.test", Token: token, Dial: p.dial, OnState: func(s schema.StreamState, err error) {
		c.states = append(c.states, s)
		if err != nil {
			c.errs = append(c.errs, err)
		}
	}}
	if change != nil {
		change(&cfg)
	}
	if c.X, err = NewX(cfg); err != nil {
		p.t.Fatal(err)
	}
	return c
}

// until reads until the tweet with an id comes, and returns the ids that came.
func (c *client) until(t *testing.T, last string) (ids []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour) // of the bubble's clock
	defer cancel()
	for e, err := range c.Events(ctx) {
		if err != nil {
			t.Errorf("a reject: %v", err)
		}
		if e.Tweet != nil {
			ids = append(ids, e.Tweet.ID)
		}
		if e.Tweet != nil && e.Tweet.ID == last {
			return ids
		}
	}
	t.Fatalf("tweet %s never came: %v, %v", last, c.states, c.errs)
	return nil
}

// checkTimes compares when connections were opened with the waits between them,
// each longer by up to a tenth when jittered.
func (p *pipes) checkTimes(t *testing.T, want ...wait) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.dials) != len(want)+1 || p.dials[0] != 0 {
		t.Fatalf("connections at %v, want one at 0 and %d more", p.dials, len(want))
	}
	for i, w := range want {
		got := p.dials[i+1] - p.dials[i]
		if most := w.d + time.Duration(float64(w.d)*w.jitter); got < w.d || got > most {
			t.Errorf("connection %d came %v after the one before, want %v to %v; all at %v", i+1, got, w.d, most, p.dials)
		}
	}
}

type wait struct {
	d      time.Duration
	jitter float64
}

func exact(d time.Duration) wait    { return wait{d, 0} }
func jittered(d time.Duration) wait { return wait{d, 0.1} }

// every is an answer that sends a part, and again and again after a while.
func every(d time.Duration, n int, part string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		write(w, part)
		for range n {
			time.Sleep(d)
			fmt.Fprint(w, part)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}
}

// One stream with all kinds of trouble: each attempt comes when the schedule
// says.
func TestXSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, limit := status(503, "text/html", "<html>"), status(429, "", "")
		p := newPipes(t,
			hangUp, hangUp, hangUp,
			busy, busy, busy, busy, busy,
			limit, limit, limit,
			send(tweetLine(1)),        // and at once
			sendAndHold(tweetLine(2)), // silence
			busy, busy, send("\r\n"), busy,
			send(tweetLine(3)),
		)
		c := p.client(nil)
		same(t, "tweets", c.until(t, "3"), []string{"1", "2", "3"})
		p.checkTimes(t,
			exact(250*time.Millisecond), exact(500*time.Millisecond), exact(750*time.Millisecond),
			jittered(5*time.Second), jittered(10*time.Second), jittered(20*time.Second), jittered(40*time.Second), jittered(80*time.Second),
			jittered(60*time.Second), jittered(120*time.Second), jittered(240*time.Second),
			exact(0),
			exact(silence), // no wait on top, since it lasted
			jittered(5*time.Second), jittered(10*time.Second),
			exact(250*time.Millisecond), // the stream was open, and so counters of HTTP errors begin anew
			jittered(5*time.Second),
		)
	})
}

// Keep-alive lines keep a connection for as long as they come; 21 s after the
// last it is dead.
func TestXKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes(t, every(20*time.Second, 15, "\r\n"), send(tweetLine(1)))
		c := p.client(nil)
		c.until(t, "1")
		p.checkTimes(t, exact(5*time.Minute+silence+250*time.Millisecond))
		same(t, "states", c.states, []schema.StreamState{schema.StateConnecting, schema.StateRunning, schema.StateReconnecting, schema.StateRunning})
		if len(c.errs) != 1 || c.errs[0].(*Down).Problem != downSilent {
			t.Errorf("errors %v", c.errs)
		}
	})
}

// A connection that takes long to close still is the only one.
func TestXOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes(t, sendAndHold(tweetLine(1), `{"disconnect":{"code":7}}`+"\r\n"), send(tweetLine(2), `{"disconnect":{"code":7}}`+"\r\n"), send(tweetLine(3)))
		p.closing = 3 * time.Second
		p.client(nil).until(t, "3")
		p.checkTimes(t, exact(3*time.Second), exact(3*time.Second))
	})
}

// Streams that deliver and end soon are connected to again at once, but not one
// after the other.
func TestXBrief(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes(t, send(tweetLine(1)), send(tweetLine(2)), send(tweetLine(3)), every(brief, 1, tweetLine(4)), send(tweetLine(5)), send(tweetLine(6)))
		same(t, "tweets", p.client(nil).until(t, "6"), []string{"1", "2", "3", "4", "4", "5", "6"})
		p.checkTimes(t, exact(0), exact(250*time.Millisecond), exact(500*time.Millisecond), exact(brief+silence), exact(250*time.Millisecond))
	})
}

// resets is a header that ends the window of connections after d.
func resets(d time.Duration) string {
	return strconv.FormatInt(time.Now().Add(d).Unix(), 10)
}

// When the last connection of a window is used, the next waits for the window's
// end, whatever ended it; nor does a 429 come earlier than its reset.
func TestXWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lastOne := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("x-rate-limit-remaining", "0")
			w.Header().Set("x-rate-limit-reset", resets(8*time.Minute))
			send(tweetLine(1))(w, r)
		}
		limited := status(429, "application/json", `{"title":"ConnectionException","connection_issue":"TooManyConnections"}`, "x-rate-limit-reset", resets(10*time.Minute+30*time.Second))
		p := newPipes(t, lastOne, limited, status(503, "", ""), status(503, "", ""), send(tweetLine(2)))
		c := p.client(nil)
		c.until(t, "2")
		p.checkTimes(t, jittered(8*time.Minute), wait{60 * time.Second, 2}, jittered(5*time.Second), jittered(10*time.Second))
		if reset := 10*time.Minute + 30*time.Second; p.dials[2] < reset {
			t.Errorf("connection 2 came at %v, the window ends at %v", p.dials[2], reset)
		}
		if d := c.errs[1].(*Down); d.Problem != "TooManyConnections" {
			t.Errorf("problem %s: %v", d.Problem, d)
		}
	})
}

// A source that is stopped and read again keeps to the schedule.
func TestXReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes(t, status(429, "", ""), send(tweetLine(1)))
		c := p.client(nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for e, err := range c.Events(ctx) {
			t.Errorf("%v, %v", e, err)
		}
		c.until(t, "1")
		p.checkTimes(t, jittered(time.Minute))
	})
}

// What was missed is asked for after a disconnection, up to what is allowed, and
// no more once the API refuses.
func TestXBackfill(t *testing.T) {
	wrong := `{"errors":[{"parameters":{"backfill_minutes":["1"]},"message":"not valid"}],"title":"Invalid Request","type":"https://api.x.com/2/problems/invalid-request"}`
	busy := status(503, "", "")
	for _, tt := range []struct {
		name    string
		answers []answer
		minutes int
		want    []string
	}{
		{"not asked for", []answer{send(tweetLine(1)), send(tweetLine(9))}, 0, []string{"", ""}},
		{"by what was missed", []answer{busy, send(tweetLine(1)), status(429, "", ""), send(tweetLine(2)), sendAndHold(tweetLine(9))}, 5, []string{"", "", "1", "2", "1"}},
		{"at most", []answer{send(tweetLine(1)), status(429, "", ""), send(tweetLine(9))}, 1, []string{"", "1", "1"}},
		{"refused", []answer{send(tweetLine(1)), status(400, "application/json", wrong), send(tweetLine(2)), send(tweetLine(9))}, 3, []string{"", "1", "", ""}},
		{"forbidden", []answer{send(tweetLine(1)), status(403, "application/json", `{"title":"Forbidden"}`), send(tweetLine(9))}, 3, []string{"", "1", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPipes(t, tt.answers...)
				p.client(func(c *XConfig) { c.Backfill = tt.minutes }).until(t, "9")
				same(t, "backfill", p.queries, tt.want)
			})
		})
	}
}

// The stream is read while the consumer stands still. What there is room for
// comes in order afterwards, the rest is told as refused; each once.
func TestXRoom(t *testing.T) {
	const n = 100
	for _, tt := range []struct {
		name string
		room Room
		kept int // beside the one in the consumer's hand
	}{
		{"records", Room{Records: 10, Bytes: 1 << 20}, 10},
		{"bytes", Room{Records: 1000, Bytes: 5 * len(`{"data":{"id":"100","text":"a"}}`)}, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				written := make(chan struct{})
				p := newPipes(t, func(w http.ResponseWriter, r *http.Request) {
					w.(http.Flusher).Flush()
					for id := range n {
						fmt.Fprint(w, tweetLine(100+id))
						w.(http.Flusher).Flush()
						synctest.Wait()
					}
					close(written)
					<-r.Context().Done()
				})
				c := p.client(func(c *XConfig) { c.Room = &tt.room })
				var refused, came []string
				c.OnRefused(func(e schema.Event, err error) { refused = append(refused, e.Tweet.ID) })
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				for e := range c.Events(ctx) {
					came = append(came, e.Tweet.ID)
					<-written
					synctest.Wait()
					cancel() // what was read comes all the same
				}
				all := slices.Concat(came, refused)
				if len(came) != tt.kept+1 || len(all) != n || !slices.IsSorted(all) {
					t.Errorf("came %v, refused %v", came, refused)
				}
			})
		})
	}
}

// A record that is larger than the room passes when it is alone, and so do the
// many tweets of one record; the end of the source is never refused.
func TestRoomLargest(t *testing.T) {
	items := 0
	read := func(_ context.Context, in intake) {
		for range 50 {
			in.yield(schema.Event{Kind: schema.KindTweet}, nil)
		}
		in.recordEnds(1000)
		in.yield(schema.Event{}, errRefused)
	}
	var end error
	Room{Records: 1, Bytes: 10}.through(t.Context(), read, func(schema.Event, error) { t.Error("refused") }, func(e schema.Event, err error) bool {
		items++
		end = err
		return true
	})
	if items != 51 || end != errRefused {
		t.Errorf("%d items, ended by %v", items, end)
	}
}
