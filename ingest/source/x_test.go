package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"visualizer/schema"
)

func TestXRequest(t *testing.T) {
	var got *http.Request
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		send(tweetLine(1))(w, r)
	})
	c := newClient(t, s.URL+"/")
	c.take(t, 1, nil)
	if got.URL.Path != SampleStream || got.Header.Get("Authorization") != "Bearer "+canary || got.Header.Get("User-Agent") == "" || got.Header.Get("Accept-Encoding") != "gzip" {
		t.Errorf("request %s %v", got.URL.Path, got.Header)
	}
	for _, want := range []string{"tweet.fields=created_at", "tweet.fields=note_tweet", "expansions=geo.place_id", "user.fields=public_metrics", "place.fields=geo", "media.fields=alt_text"} {
		name, field, _ := strings.Cut(want, "=")
		if !slices.Contains(strings.Split(got.URL.Query().Get(name), ","), field) {
			t.Errorf("the query has no %s: %s", want, got.URL.RawQuery)
		}
	}
	same(t, "states", c.states, []schema.StreamState{schema.StateConnecting, schema.StateRunning})
}

// However the bytes arrive, each line is one record, observed when it arrived.
func TestXFraming(t *testing.T) {
	const text = `{"data":{"id":"1","text":"one 👩‍👩‍👧 two","author_id":"5"},"includes":{"users":[{"id":"5","username":"u"}]}}` + "\r\n"
	emoji := strings.Index(text, "👩") + 2
	s := server(t, sendAndHold("\r\n", text[:7], text[7:emoji], text[emoji:], tweetLine(2)+tweetLine(3), "\r\n\r\n", `{"data":{"id":"4","text":"no line end"}}`))
	c := newClient(t, s.URL)
	o := c.take(t, 4, nil)
	first := o.stored["1"]
	if first.RawText != "one 👩‍👩‍👧 two" || o.blank != 3 || len(o.rejects) > 0 {
		t.Errorf("text %q, %d blank, rejects %v", first.RawText, o.blank, o.rejects)
	}
	arrival := schema.TimeOf(c.clock.Now())
	for id, tw := range o.stored {
		if tw.ObservedAt == nil || *tw.ObservedAt != arrival {
			t.Errorf("tweet %s was observed at %v, want %v", id, tw.ObservedAt, arrival)
		}
	}
	if first.Author.ObservedAt == nil || *first.Author.ObservedAt != arrival {
		t.Errorf("the author was observed at %v, want %v", first.Author.ObservedAt, arrival)
	}
}

func TestXGzip(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for id := range 3 {
			fmt.Fprint(z, "\r\n"+tweetLine(id+1))
			z.Flush()
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	if o := newClient(t, s.URL).take(t, 3, nil); o.blank != 3 {
		t.Errorf("%d blank", o.blank)
	}
}

// A connection that says nothing for 20 s is dead. The next one follows at
// once, since the dead one had delivered.
func TestXSilence(t *testing.T) {
	s := server(t, sendAndHold(tweetLine(1), tweetLine(2), "\r\n"), sendAndHold(tweetLine(3)))
	c := newClient(t, s.URL)
	c.take(t, 3, func(e schema.Event) bool {
		if e.Kind == schema.KindBlank {
			go c.clock.silent()
		}
		return true
	})
	same(t, "states", c.states, []schema.StreamState{schema.StateConnecting, schema.StateRunning, schema.StateReconnecting, schema.StateRunning})
	if len(c.errs) != 1 || c.errs[0].Error() != "read x: nothing came for 21s" || len(c.clock.slept) > 0 {
		t.Errorf("errors %v, waits %v", c.errs, c.clock.slept)
	}
}

// So is a connection whose answer does not come.
func TestXSilentServer(t *testing.T) {
	var c *client
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		c.clock.silent()
		<-r.Context().Done()
	}, sendAndHold(tweetLine(1)))
	c = newClient(t, s.URL)
	c.take(t, 1, nil)
	if len(c.errs) != 1 || c.errs[0].Error() != "connect to x: nothing came for 21s" {
		t.Errorf("errors %v", c.errs)
	}
	checkWaits(t, c.clock.slept, 0, 250*time.Millisecond)
}

// checkWaits compares the waits between connections, which may be longer by a
// part.
func checkWaits(t *testing.T, got []time.Duration, part float64, want ...time.Duration) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		most := want[i] + time.Duration(part*float64(want[i]))
		ok = ok && got[i] >= want[i] && got[i] <= most
	}
	if !ok {
		t.Errorf("waits %v, want %v and at most %v of it more", got, want, part)
	}
}

func TestXWaits(t *testing.T) {
	const html = "<html><body>" + canary + "</body></html>"
	const problem = `{"title":"ConnectionException","connection_issue":"RuleConfigurationIssue","type":"https://api.x.com/2/problems/streaming-connection"}` + "\r\n"
	in30s := strconv.FormatInt(newFakeClock().Now().Add(30*time.Second).Unix(), 10)
	in10m := strconv.FormatInt(newFakeClock().Now().Add(10*time.Minute).Unix(), 10)
	for _, tt := range []struct {
		name    string
		answers []answer
		part    float64
		want    []time.Duration
	}{
		{"network", []answer{hangUp, hangUp, hangUp, send(tweetLine(1))}, 0,
			[]time.Duration{250 * time.Millisecond, 500 * time.Millisecond, 750 * time.Millisecond}},
		{"streams that end before a tweet", []answer{send(), send("\r\n"), send(tweetLine(1))}, 0,
			[]time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		{"503 with a web page", []answer{status(503, "text/html", html), status(503, "text/html", html), status(500, "text/html", html), send(tweetLine(1))}, 0.1,
			[]time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}},
		{"200 with a web page", []answer{status(200, "text/html; charset=utf-8", html), send(tweetLine(1))}, 0.1,
			[]time.Duration{5 * time.Second}},
		{"200 with a web page that says it is JSON", []answer{status(200, "application/json", html), status(200, "application/json", html), send(tweetLine(1))}, 0.1,
			[]time.Duration{5 * time.Second, 10 * time.Second}},
		{"200 with a problem", []answer{send(problem), send("\r\n"), send(problem), send(problem), send(tweetLine(1))}, 0.1,
			[]time.Duration{5 * time.Second, 250 * time.Millisecond, 5 * time.Second, 10 * time.Second}},
		{"429, reset sooner", []answer{status(429, "application/json", `{"title":"ConnectionException"}`, "x-rate-limit-reset", in30s), status(503, "text/plain", ""), status(503, "text/plain", ""), send(tweetLine(1))}, 0.1,
			[]time.Duration{60 * time.Second, 5 * time.Second, 10 * time.Second}},
		{"429, reset later", []answer{status(429, "application/json", `{}`, "x-rate-limit-reset", in10m), send(tweetLine(1))}, 0.1,
			[]time.Duration{10 * time.Minute}},
		{"429 again and again", []answer{status(429, "", ""), status(429, "", ""), status(420, "", ""), send(tweetLine(1))}, 0.1,
			[]time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute}},
		{"unknown encoding", []answer{status(200, "application/json", "x", "Content-Encoding", "br"), send(tweetLine(1))}, 0,
			[]time.Duration{250 * time.Millisecond}},
		{"a drop after a tweet", []answer{send(tweetLine(9)), send(tweetLine(1))}, 0, nil},
		{"each kind anew after a success", []answer{hangUp, status(503, "", ""), status(429, "", ""), send(tweetLine(9)),
			hangUp, status(503, "", ""), status(429, "", ""), send(tweetLine(1))}, 0.1,
			[]time.Duration{250 * time.Millisecond, 5 * time.Second, time.Minute, 250 * time.Millisecond, 5 * time.Second, time.Minute}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, server(t, tt.answers...).URL)
			c.take(t, 0, func(e schema.Event) bool { return e.Tweet == nil || e.Tweet.ID != "1" })
			checkWaits(t, c.clock.slept, tt.part, tt.want...)
			if n := len(tt.answers) - 1; len(c.errs) != n {
				t.Errorf("%d errors, want %d: %v", len(c.errs), n, c.errs)
			}
			checkNoCanary(t, c)
		})
	}
}

// The counters of failures start anew only when a connection succeeds.
func TestRetry(t *testing.T) {
	r := retry{}
	for range 100 {
		r.afterNetwork()
		r.afterHTTP()
		r.afterLimit(0)
	}
	same(t, "network", r.afterNetwork(), networkMost)
	same(t, "http", r.afterHTTP(), httpMost)
	same(t, "limit", r.afterLimit(0), limitMost)
	same(t, "limit with a reset in the past", (&retry{}).afterLimit(-time.Hour), limitFirst)
	for range 1000 {
		if d := jitter(time.Second); d < time.Second || d > 1100*time.Millisecond {
			t.Fatalf("jitter(1s) = %v", d)
		}
	}
}

// A message that ends the stream leads to a new connection at once, though the
// server keeps the old one open; other problems don't.
func TestXDisconnect(t *testing.T) {
	for _, tt := range []struct {
		message string
		ends    bool
	}{
		{`{"errors":[{"title":"operational-disconnect","disconnect_type":"ForceDisconnect","type":"https://api.x.com/2/problems/operational-disconnect"}]}`, true},
		{`{"title":"ConnectionException","connection_issue":"TooManyConnections","type":"https://api.twitter.com/2/problems/streaming-connection"}`, true},
		{`{"disconnect":{"code":4,"reason":"stall"}}`, true},
		{`{"errors":[{"title":"UsageCapExceeded","type":"https://api.x.com/2/problems/usage-capped"}]}`, false},
		{`{"warning":{"code":"FALLING_BEHIND"}}`, false},
	} {
		t.Run(tt.message, func(t *testing.T) {
			rest := tweetLine(2)
			if tt.ends {
				rest = ""
			}
			s := server(t, sendAndHold(tweetLine(1), tt.message+"\r\n", rest), sendAndHold(tweetLine(2)))
			c := newClient(t, s.URL)
			c.take(t, 2, nil)
			if (len(c.errs) == 1) != tt.ends || len(c.clock.slept) > 0 {
				t.Errorf("errors %v, waits %v", c.errs, c.clock.slept)
			}
		})
	}
}

// Half a line is one reject, and nothing behind it is lost.
func TestXHalfLines(t *testing.T) {
	whole := tweetLine(2)
	s := server(t, send(tweetLine(1), whole[:20]), sendAndHold(whole[:20]+"\r\n", `{"data":`+"\r\n", whole))
	o := newClient(t, s.URL).take(t, 2, nil)
	same(t, "rejected", o.rejected, map[schema.Reason]int{schema.BadJSON: 3})
	if o.rejects[1].Source != "x" || o.rejects[1].Line != 1 {
		t.Errorf("reject %v", o.rejects[1])
	}
}

func TestXRefused(t *testing.T) {
	for _, code := range []int{401, 403} {
		s := server(t, status(code, "application/problem+json", `{"title":"Unauthorized","detail":"Bad `+canary+`","type":"about:blank"}`))
		c := newClient(t, s.URL)
		o := c.take(t, 0, nil)
		want := fmt.Sprintf("connect to x: %d %s: Unauthorized: Bad [redacted]: %v", code, http.StatusText(code), errRefused)
		if o.end == nil || o.end.Error() != want || len(c.clock.slept) > 0 {
			t.Errorf("ended by %v, want %s; waits %v", o.end, want, c.clock.slept)
		}
		checkNoCanary(t, c)
	}
}

// The token follows a redirect within the host, and never to another one.
func TestXRedirect(t *testing.T) {
	other := server(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another host got a request: %v", r.Header) })
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+SampleStream, http.StatusFound)
	}
	within := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
	}
	moved := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+canary {
			t.Errorf("the same host got no token: %v", r.Header)
		}
		send(tweetLine(1))(w, r)
	}
	c := newClient(t, server(t, away, within, moved).URL)
	c.take(t, 1, nil)
	checkWaits(t, c.clock.slept, 0.1, 5*time.Second)
	if want := "connect to x: 302 Found: it leads to another host"; len(c.errs) != 1 || c.errs[0].Error() != want {
		t.Errorf("errors %v, want %s", c.errs, want)
	}
}

// Cancelling ends the source without an error, while it reads and while it
// waits.
func TestXCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := newClient(t, server(t, sendAndHold(tweetLine(1), "\r\n")).URL)
	for _, err := range c.Events(ctx) {
		if err != nil {
			t.Error(err)
		}
		cancel()
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	c = newClient(t, server(t, status(503, "", "")).URL)
	c.cfg.Clock.Sleep = func(ctx context.Context, d time.Duration) error {
		cancel()
		return sleep(ctx, d)
	}
	for _, err := range c.Events(ctx) {
		t.Errorf("event, %v", err)
	}
}

func TestNewXErrors(t *testing.T) {
	for _, u := range []string{"api.x.com", "ftp://x", "http://", "://", "http://a b", "https://u:secret@h", "https://h?q", "https://u:secret@h:x"} {
		if _, err := NewX(XConfig{URL: u}); err == nil || !strings.HasPrefix(err.Error(), "open X API: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("NewX(%q) = %v", u, err)
		}
	}
}

// checkNoCanary looks for the token in all that a client shows of itself.
func checkNoCanary(t *testing.T, c *client) {
	t.Helper()
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		l := slog.New(h)
		l.Info("state", "errs", c.errs, "token", c.cfg.Token, "config", c.cfg, "client", c.X)
		for _, err := range c.errs {
			l.Warn("reconnect", "err", err)
			fmt.Fprintf(&log, "%+v %#v", err, err)
		}
	}
	if strings.Contains(log.String(), canary) {
		t.Errorf("the token is shown: %s", log.String())
	}
}

func TestTokenHidesItself(t *testing.T) {
	token, err := NewToken(" " + canary + "\r\n")
	if err != nil {
		t.Fatal(err)
	}
	inside := struct {
		Token  Token
		hidden Token
		p      *Token
	}{token, token, &token}
	shown := []string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown = append(shown, fmt.Sprintf(verb, token), fmt.Sprintf(verb, &token), fmt.Sprintf(verb, inside), fmt.Sprintf(verb, []any{token, inside}))
	}
	b, err := json.Marshal(map[string]any{"t": token})
	shown = append(shown, string(b), fmt.Sprint(err), errors.Join(fmt.Errorf("x: %v", token)).Error(), url.QueryEscape(token.String()))
	for _, s := range shown {
		if strings.Contains(s, canary) || strings.Contains(s, fmt.Sprintf("%x", canary)) {
			t.Errorf("the token is shown: %s", s)
		}
	}
	if token.header() != "Bearer "+canary || (Token{}).header() != "" {
		t.Errorf("header %q", token.header())
	}
	for _, bad := range []string{"", " \n", "a b", "a\nb", "é"} {
		if _, err := NewToken(bad); err == nil || bad != "" && strings.TrimSpace(bad) != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("NewToken(%q) = %v", bad, err)
		}
	}
}
