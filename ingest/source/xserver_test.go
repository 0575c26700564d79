package source

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"visualizer/schema"
)

// canary is a token that must not be seen anywhere.
const canary = "CANARY-7f3a"

// fakeClock does not wait: Sleep moves it on, and silence fires only when a
// test says so.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	slept  []time.Duration
	timers chan func() bool // of the last Read; reports whether it waited yet
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), timers: make(chan func() bool, 1)}
}

func (c *fakeClock) clock() Clock {
	return Clock{Now: c.Now, Sleep: c.sleep, AfterFunc: c.afterFunc}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

// afterFunc offers f to silent until it is stopped.
func (c *fakeClock) afterFunc(_ time.Duration, f func()) func() bool {
	var over atomic.Bool
	select {
	case <-c.timers: // an older one
	default:
	}
	c.timers <- func() bool {
		if over.Swap(true) {
			return false
		}
		f()
		return true
	}
	return func() bool { return !over.Swap(true) }
}

// silent lets the silence pass of a Read that is waiting now or next.
func (c *fakeClock) silent() {
	for fire := range c.timers {
		if fire() {
			return
		}
	}
}

// answer is how a server treats one connection.
type answer func(w http.ResponseWriter, r *http.Request)

// server answers one connection after the other, and fails the test when a
// client keeps one open beside the next. The last answer is given again and
// again.
func server(t *testing.T, answers ...answer) *httptest.Server {
	t.Helper()
	one := make(chan struct{}, 1)
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case one <- struct{}{}:
		case <-time.After(10 * time.Second): // the server sees a little late that a connection was closed
			t.Error("two connections at once")
			return
		}
		defer func() { <-one }()
		n++
		answers[min(n, len(answers))-1](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// send writes parts of a stream, each as a chunk of its own, and returns.
func send(parts ...string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		write(w, parts...)
	}
}

// sendAndHold writes parts of a stream and stays silent until the client goes.
func sendAndHold(parts ...string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		write(w, parts...)
		<-r.Context().Done()
	}
}

func write(w http.ResponseWriter, parts ...string) {
	w.WriteHeader(http.StatusOK)
	flush := w.(http.Flusher)
	flush.Flush()
	for _, part := range parts {
		fmt.Fprint(w, part)
		flush.Flush()
	}
}

// status answers with a status and a body.
func status(code int, contentType, body string, headers ...string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }

// tweetLine is a line of a stream.
func tweetLine(id int) string {
	return fmt.Sprintf(`{"data":{"id":"%d","text":"a"}}`+"\r\n", id)
}

// client is an X under test, with what it told.
type client struct {
	*X
	clock  *fakeClock
	states []schema.StreamState
	errs   []error // that led to the states
}

func newClient(t *testing.T, url string) *client {
	t.Helper()
	c := &client{clock: newFakeClock()}
	token, err := NewToken(canary + "\n")
	if err != nil {
		t.Fatal(err)
	}
	c.X, err = NewX(XConfig{URL: url, Token: token, Clock: c.clock.clock(), OnState: func(s schema.StreamState, err error) {
		c.states = append(c.states, s)
		if err != nil {
			c.errs = append(c.errs, err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// take reads until want tweets have come, more returns false for an event, or
// the source ends, and returns what came.
func (c *client) take(t *testing.T, want int, more func(schema.Event) bool) *outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a broken client only
	defer cancel()
	o := newOutcome()
	for e, err := range c.Events(ctx) {
		if !o.take(e, err) || more != nil && !more(e) || want > 0 && len(o.stored) >= want {
			break
		}
	}
	if len(o.stored) < want || ctx.Err() != nil {
		t.Fatalf("%d tweets of %d; states %v, errors %v, ended by %v", len(o.stored), want, c.states, c.errs, o.end)
	}
	return o
}
