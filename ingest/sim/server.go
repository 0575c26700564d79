package sim

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// StreamPath is the one path that a Server serves.
const StreamPath = "/2/tweets/sample/stream"

// Config of a Server. The zero value is a stream of seed 0, as fast as the
// client reads.
type Config struct {
	World *World // nil: NewWorld(Seed)
	Seed  uint64
	// Rate is in tweets/s; 0 is as fast as the client reads.
	Rate float64
	// KeepAlive is after how long without a message a blank line is sent; 0 is
	// 20 s.
	KeepAlive time.Duration
	// WriteTimeout is how long a client may not read before it is cut; 0 is
	// 10 s.
	WriteTimeout time.Duration
	// Token is what clients must bear; without one everybody may connect.
	Token string
	// Limit is how many tweets are made in the server's life; 0 is no limit.
	// Once they are, the response ends as an HTTP response should, Done is
	// closed, and every later request is answered 503: a client that reads to
	// the end can stop there, one that reconnects backs off.
	Limit int
	// Now tells the time that tweets are made at; nil is time.Now.
	Now func() time.Time
}

// Server serves a world to one client at a time. The world stands still while
// nobody reads, and what was on its way to a client that left is lost, as it
// is without backfill in the API.
type Server struct {
	cfg Config
	// seat is taken by the one connection, which alone uses the world.
	seat chan struct{}
	// patience is how long a second connection waits for the first to go. A
	// client that reconnects at once must not be punished for our not having
	// seen yet that it left.
	patience time.Duration

	mu       sync.Mutex
	connects int       // in the window
	window   time.Time // its end

	made int // tweets, by the holder of the seat
	done chan struct{}
}

// NewServer returns a server of cfg.
func NewServer(cfg Config) *Server {
	if cfg.World == nil {
		cfg.World = NewWorld(cfg.Seed)
	}
	if cfg.KeepAlive <= 0 {
		cfg.KeepAlive = 20 * time.Second
	}
	if cfg.WriteTimeout <= 0 {
		cfg.WriteTimeout = 10 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Server{cfg: cfg, seat: make(chan struct{}, 1), patience: 500 * time.Millisecond, done: make(chan struct{})}
}

// Done is closed when Limit tweets were made and the last of them was written,
// or lost with a client that left.
func (s *Server) Done() <-chan struct{} { return s.done }

// ServeHTTP answers GET StreamPath with the stream and everything else with a
// problem in JSON.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != StreamPath:
		notFound.write(w)
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		notAllowed.write(w)
	case !s.allowed(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		unauthorized.write(w)
	default:
		s.connect(w, r)
	}
}

func (s *Server) allowed(r *http.Request) bool {
	want, got := "Bearer "+s.cfg.Token, r.Header.Get("Authorization")
	return s.cfg.Token == "" || subtle.ConstantTimeCompare([]byte(want), []byte(got)) == 1
}

func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	s.countConnect(w.Header())
	if !s.sit(r.Context()) {
		tooManyConnections.write(w)
		return
	}
	defer func() { <-s.seat }()
	if s.finished() {
		unavailable.write(w)
		return
	}
	s.stream(w, r)
}

// sit takes the seat when it is free, or gets free soon.
func (s *Server) sit(ctx context.Context) bool {
	select {
	case s.seat <- struct{}{}:
		return true
	default:
	}
	soon := time.NewTimer(s.patience)
	defer soon.Stop()
	select {
	case s.seat <- struct{}{}:
		return true
	case <-soon.C:
	case <-ctx.Done():
	}
	return false
}

// The API's limit of connects. It is told but not enforced.
const (
	connectLimit  = 50
	connectWindow = 15 * time.Minute
)

func (s *Server) countConnect(h http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.After(s.window) {
		s.window, s.connects = now.Add(connectWindow), 0
	}
	s.connects++
	h.Set("x-rate-limit-limit", strconv.Itoa(connectLimit))
	h.Set("x-rate-limit-remaining", strconv.Itoa(max(0, connectLimit-s.connects)))
	h.Set("x-rate-limit-reset", strconv.FormatInt(s.window.Unix(), 10))
}

func (s *Server) finished() bool { return s.cfg.Limit > 0 && s.made >= s.cfg.Limit }

// problem is an answer that is no stream, in the words of the API.
type problem struct {
	status int
	body   string
}

var (
	unauthorized = problem{http.StatusUnauthorized,
		`{"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}`}
	notFound = problem{http.StatusNotFound,
		`{"title":"Not Found Error","type":"about:blank","status":404,"detail":"The simulator serves ` + StreamPath + ` only."}`}
	notAllowed = problem{http.StatusMethodNotAllowed,
		`{"title":"Method Not Allowed","type":"about:blank","status":405,"detail":"Use GET."}`}
	tooManyConnections = problem{http.StatusTooManyRequests,
		`{"title":"ConnectionException","detail":"This stream is currently at the maximum allowed connection limit.",` +
			`"connection_issue":"TooManyConnections","type":"https://api.twitter.com/2/problems/streaming-connection"}`}
	unavailable = problem{http.StatusServiceUnavailable,
		`{"title":"Service Unavailable","type":"about:blank","status":503,"detail":"The simulated world has ended: its limit of tweets is reached."}`}
)

func (p problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
	w.WriteHeader(p.status)
	// A client that left needs no answer.
	_, _ = w.Write([]byte(p.body))
}
