package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// serve starts a server of a small world on a real port.
func serve(t *testing.T, cfg Config) (*Server, *httptest.Server) {
	t.Helper()
	cfg.World = NewWorldWith(31, small())
	s := NewServer(cfg)
	s.patience = time.Millisecond // no test waits for a seat that stays taken
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web
}

// get asks with a token; the body is closed when the test ends.
func get(t *testing.T, ctx context.Context, url, token string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		res.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return res
}

// bodyProblem reads a problem.
func bodyProblem(t *testing.T, res *http.Response) map[string]any {
	t.Helper()
	var p map[string]any
	if err := json.NewDecoder(res.Body).Decode(&p); err != nil {
		t.Fatalf("body of %s: %v", res.Status, err)
	}
	return p
}

func TestAnswersThatAreNoStream(t *testing.T) {
	_, web := serve(t, Config{Token: "secret", Limit: 1})
	for _, c := range []struct {
		name, method, path, auth string
		status                   int
		title                    string
	}{
		{"no token", "GET", StreamPath, "", 401, "Unauthorized"},
		{"wrong token", "GET", StreamPath, "Bearer other", 401, "Unauthorized"},
		{"wrong scheme", "GET", StreamPath, "Basic secret", 401, "Unauthorized"},
		{"other path", "GET", "/2/tweets/search/stream", "Bearer secret", 404, "Not Found Error"},
		{"other method", "POST", StreamPath, "Bearer secret", 405, "Method Not Allowed"},
	} {
		req, _ := http.NewRequest(c.method, web.URL+c.path, nil)
		req.Header.Set("Authorization", c.auth)
		res, err := web.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		p := bodyProblem(t, res)
		res.Body.Close()
		if res.StatusCode != c.status || p["title"] != c.title || p["status"] != float64(c.status) {
			t.Errorf("%s: %s %v, want %d %s", c.name, res.Status, p, c.status, c.title)
		}
	}
}

// The limit ends the response without an error and stays reached.
func TestLimit(t *testing.T) {
	for _, rate := range []float64{0, 5000} {
		s, web := serve(t, Config{Token: "secret", Limit: 300, Rate: rate})
		res := get(t, t.Context(), web.URL+StreamPath+"?tweet.fields=created_at", "secret")
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("rate %v: %s, read %v", rate, res.Status, err)
		}
		ids := map[string]bool{}
		for _, line := range splitLines(string(body)) {
			if w := parse(t, line); w.tweet() {
				ids[w.Data.ID] = true
			}
		}
		if len(ids) != 300 {
			t.Errorf("rate %v: %d tweets, want 300", rate, len(ids))
		}
		<-s.Done()
		res = get(t, t.Context(), web.URL+StreamPath, "secret")
		if p := bodyProblem(t, res); res.StatusCode != 503 || p["title"] != "Service Unavailable" {
			t.Errorf("rate %v: afterwards %s %v", rate, res.Status, p)
		}
	}
}

func TestHeaders(t *testing.T) {
	_, web := serve(t, Config{Limit: 1})
	for want := connectLimit - 1; want > connectLimit-4; want-- {
		h := get(t, t.Context(), web.URL+StreamPath, "").Header
		if h.Get("x-rate-limit-limit") != "50" || h.Get("x-rate-limit-remaining") != strconv.Itoa(want) {
			t.Errorf("headers %v, want %d remaining", h, want)
		}
		reset, err := strconv.ParseInt(h.Get("x-rate-limit-reset"), 10, 64)
		if at := time.Until(time.Unix(reset, 0)); err != nil || at <= 0 || at > connectWindow {
			t.Errorf("reset in %v (%v)", at, err)
		}
	}
}

// awaitSeat waits until the server saw that its client is gone.
func awaitSeat(t *testing.T, s *Server) {
	t.Helper()
	select {
	case s.seat <- struct{}{}:
		<-s.seat
	case <-time.After(8 * time.Second): // less than the default write timeout
		t.Fatal("the server still holds the connection")
	}
}

// A second client is refused while one reads, and served as soon as that one
// left.
func TestOneConnection(t *testing.T) {
	s, web := serve(t, Config{Rate: 1000})
	ctx, leave := context.WithCancel(t.Context())
	first := get(t, ctx, web.URL+StreamPath, "")
	reader := bufio.NewReader(first.Body)
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	second := get(t, t.Context(), web.URL+StreamPath, "")
	p := bodyProblem(t, second)
	if second.StatusCode != 429 || p["title"] != "ConnectionException" || p["connection_issue"] != "TooManyConnections" {
		t.Fatalf("second connection: %s %v", second.Status, p)
	}
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatalf("the first connection suffered: %v", err)
	}
	leave()
	awaitSeat(t, s)
	third := get(t, t.Context(), web.URL+StreamPath, "")
	if third.StatusCode != 200 {
		t.Errorf("third connection: %s", third.Status)
	}
}

// A client that reconnects at once is not refused because the server has yet
// to see that its old connection is gone.
func TestReconnectAtOnce(t *testing.T) {
	s, web := serve(t, Config{})
	s.patience = time.Minute
	for range 20 {
		ctx, leave := context.WithCancel(t.Context())
		res := get(t, ctx, web.URL+StreamPath, "")
		if _, err := bufio.NewReader(res.Body).ReadString('\n'); res.StatusCode != 200 || err != nil {
			t.Fatalf("%s, read %v", res.Status, err)
		}
		leave()
	}
}

// A client that doesn't read is cut, so that it can't hold the seat.
func TestSlowReaderIsCut(t *testing.T) {
	s, web := serve(t, Config{WriteTimeout: 50 * time.Millisecond})
	conn, err := net.Dial("tcp", strings.TrimPrefix(web.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET "+StreamPath+" HTTP/1.1\r\nHost: sim\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%v %v", res, err)
	}
	awaitSeat(t, s)
	if _, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Error("the response of a reader that was cut ended like a whole one")
	}
}

func TestListen(t *testing.T) {
	for _, end := range []string{"stop", "context"} {
		s := NewServer(Config{World: NewWorldWith(32, small()), Rate: 1000})
		ctx, cancel := context.WithCancel(t.Context())
		base, stop, err := s.Listen(ctx)
		if err != nil {
			t.Fatal(err)
		}
		res := get(t, t.Context(), base+StreamPath, "")
		if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if end == "context" {
			cancel()
		}
		stop()
		stop()
		cancel()
		if _, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")); err == nil {
			t.Errorf("%s: the port still answers", end)
		}
	}
}

// Stopping must not wait for a client that doesn't read.
func TestListenStopsAtASlowReader(t *testing.T) {
	made := make(chan struct{})
	now := func() time.Time {
		select {
		case made <- struct{}{}:
		case <-t.Context().Done():
		}
		return time.Now()
	}
	s := NewServer(Config{World: NewWorldWith(33, small()), Now: now})
	base, stop, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	get(t, t.Context(), base+StreamPath, "") // and never read
	for stuck := false; !stuck; {
		select {
		case <-made:
		case <-time.After(100 * time.Millisecond): // every buffer is full
			stuck = true
		}
	}
	began := time.Now()
	stop()
	if took := time.Since(began); took > s.cfg.WriteTimeout/2 {
		t.Errorf("stopping took %v", took)
	}
}
