package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"visualizer/schema"
)

// Streams of the X API, as XConfig.Path.
const (
	SampleStream = "/2/tweets/sample/stream" // 1 % of all tweets
	SearchStream = "/2/tweets/search/stream" // what matches the app's rules
)

// MaxBackfill is the most minutes that the API sends again.
const MaxBackfill = 5

// XConfig configures an X client.
type XConfig struct {
	Name  string // default "x"
	URL   string // base of the API, default DefaultURL
	Path  string // default SampleStream
	Token Token
	// Backfill is how many minutes at most the API is asked to send again after
	// a disconnection, up to MaxBackfill; 0 is none. Not every app may ask: when
	// the API refuses, it is asked no more.
	Backfill int
	// Room, if set, is what waits for a slow consumer; what is beyond it is
	// refused. Without, the stream itself waits.
	Room *Room
	// OnState is told each change of state, with a *Down that led to it. It is
	// called by the goroutine that reads the stream.
	OnState func(schema.StreamState, error)
	// Dial and Clock are for tests.
	Dial  dialer
	Clock Clock
}

// X is the client of a stream of the X API. It connects again whenever the
// stream ends, as the API's documentation asks.
type X struct {
	cfg     XConfig
	api     *api
	refused func(schema.Event, error)
	retry   retry
	// Not before these times may it connect: that of the schedule, and the end
	// of a window whose connections are all used.
	next, window time.Time
	last         time.Time // when something came
	noBackfill   bool      // it was refused
}

// silence is how long a stream may be without a byte. The API sends a line at
// least every 20 s; the second more lets it be on its way.
const silence = 21 * time.Second

// NewX returns a client. It does not connect yet.
func NewX(cfg XConfig) (*X, error) {
	if cfg.Name == "" {
		cfg.Name = "x"
	}
	if cfg.Path == "" {
		cfg.Path = SampleStream
	}
	if cfg.OnState == nil {
		cfg.OnState = func(schema.StreamState, error) {}
	}
	cfg.Clock = cfg.Clock.orReal()
	api, err := newAPI(cfg.URL, cfg.Token, cfg.Dial)
	if err != nil {
		return nil, err
	}
	return &X{cfg: cfg, api: api, refused: func(schema.Event, error) {}}, nil
}

// Name returns the configured name.
func (x *X) Name() string { return x.cfg.Name }

// Watch replaces XConfig.OnState. It is called before Events.
func (x *X) Watch(watch func(schema.StreamState, error)) { x.cfg.OnState = watch }

// OnRefused has refused told of each event for which there was no room, by the
// goroutine that reads the stream. It is called before Events.
func (x *X) OnRefused(refused func(schema.Event, error)) { x.refused = refused }

// Events yields the stream's events, observed at arrival, until ctx ends or
// the API refuses the token. It must not run twice at a time: the API allows
// one connection.
func (x *X) Events(ctx context.Context) iter.Seq2[schema.Event, error] {
	return func(yield func(schema.Event, error) bool) {
		if x.cfg.Room == nil {
			x.run(ctx, direct(yield))
			return
		}
		x.cfg.Room.through(ctx, x.run, x.refused, yield)
	}
}

// run connects again and again.
func (x *X) run(ctx context.Context, in intake) {
	x.cfg.OnState(schema.StateConnecting, nil)
	for x.await(ctx) == nil {
		wait, err := x.connection(ctx, in)
		switch {
		case ctx.Err() != nil || errors.Is(err, errStopped):
			return
		case errors.Is(err, errRefused):
			in.yield(schema.Event{}, err)
			return
		}
		x.next = x.cfg.Clock.Now().Add(wait)
		x.cfg.OnState(schema.StateReconnecting, err)
	}
}

// await waits until the client may connect.
func (x *X) await(ctx context.Context) error {
	until := x.next
	if x.window.After(until) {
		until = x.window
	}
	if wait := until.Sub(x.cfg.Clock.Now()); wait > 0 {
		return x.cfg.Clock.Sleep(ctx, wait)
	}
	return ctx.Err()
}

var (
	errStopped = errors.New("the reader stopped")
	errSilent  = fmt.Errorf("nothing came for %v", silence)
	errClosed  = errors.New("the server closed the stream")
	errNoJSON  = errors.New("it is no stream of JSON")
)

// connection connects and reads until the stream ends. It returns a *Down that
// says why it ended, and how long to wait before the next one.
func (x *X) connection(ctx context.Context, in intake) (time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watch{clock: x.cfg.Clock, silent: func() { cancel(errSilent) }}
	backfill := x.backfill()
	resp, err := x.get(ctx, w, backfill)
	if err != nil {
		return x.retry.afterNetwork(), x.down("connect to", downNetwork, cause(ctx, err))
	}
	defer resp.Body.Close()
	x.window = x.windowOf(resp)
	if resp.StatusCode != http.StatusOK || mediaType(resp) == "text/html" {
		return x.turnedAway(resp, w.reader(resp.Body), backfill)
	}
	x.cfg.OnState(schema.StateRunning, nil)
	s := session{x: x, in: in, began: x.cfg.Clock.Now(), end: downClosed}
	err = cause(ctx, s.read(resp, w.reader(resp.Body)))
	return s.wait(), x.down("read", s.end, err)
}

// backfill is how many minutes the API is asked to send again.
func (x *X) backfill() int {
	if x.last.IsZero() || x.noBackfill {
		return 0
	}
	missed := x.cfg.Clock.Now().Sub(x.last)
	return min(int(missed/time.Minute)+1, x.cfg.Backfill, MaxBackfill)
}

func (x *X) get(ctx context.Context, w *watch, backfill int) (*http.Response, error) {
	defer w.start()()
	return x.api.send(ctx, http.MethodGet, x.cfg.Path, streamQuery(backfill), nil)
}

// cause returns errSilent instead of the cancellation that it led to.
func cause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// down returns a *Down without the token, which a server may echo.
func (x *X) down(act, problem string, err error) error {
	d := &Down{Problem: problem}
	text := fmt.Sprintf("%s %s: %s", act, x.cfg.Name, x.cfg.Token.redact(err.Error()))
	switch {
	case errors.Is(err, errStopped):
		return err
	case errors.Is(err, errSilent):
		d.Problem = downSilent
	case errors.Is(err, errRefused):
		d.Err = &refusedError{text}
		return d
	}
	d.Err = errors.New(text)
	return d
}

// refusedError is errRefused with what the server said.
type refusedError struct{ text string }

func (r *refusedError) Error() string { return r.text }
func (r *refusedError) Unwrap() error { return errRefused }

// turnedAway tells what an answer says that is no stream.
func (x *X) turnedAway(resp *http.Response, body io.Reader, backfill int) (time.Duration, error) {
	text, p := refusal(resp, body)
	err := errors.New(text)
	problem := p.kind(downHTTP(resp.StatusCode))
	switch {
	case resp.StatusCode/100 <= 3:
		problem = downNoStream
	case backfill > 0 && aboutTheRequest(resp.StatusCode):
		x.noBackfill = true
		err = fmt.Errorf("%s: no backfill is asked for any more", text)
	case refuses(resp.StatusCode):
		err = fmt.Errorf("%s: %w", text, errRefused)
	}
	if limited(resp.StatusCode) {
		return jitter(x.retry.afterLimit(x.untilReset(resp))), x.down("connect to", problem, err)
	}
	return jitter(x.retry.afterHTTP()), x.down("connect to", problem, err)
}

// session is one connection whose answer is a stream.
type session struct {
	x         *X
	in        intake
	began     time.Time
	alive     bool   // a line came
	delivered bool   // a tweet came
	noJSON    bool   // a web page came
	told      bool   // a message ended it
	end       string // why it ended, see Down.Problem
}

// wait returns the wait after the session. One that delivered counts as a
// success.
func (s *session) wait() time.Duration {
	switch x := s.x; {
	case s.delivered:
		return x.retry.afterDrop(x.cfg.Clock.Now().Sub(s.began))
	case s.noJSON, s.told:
		return jitter(x.retry.afterHTTP())
	default:
		return x.retry.afterNetwork()
	}
}

// read takes in the events of the stream until it ends, and returns why.
func (s *session) read(resp *http.Response, body io.Reader) error {
	plain, err := decompress(resp, body)
	if err != nil {
		s.end = downDamaged
		return err
	}
	rec := newRecords(plain)
	rec.oneLine = true
	for {
		switch err := rec.next(); {
		case err == io.EOF:
			return errClosed
		case err != nil:
			s.end = downNetwork
			return err
		case !s.alive && rec.bad != nil && bytes.HasPrefix(rec.bad.Raw, []byte("<")):
			s.end, s.noJSON = downNoStream, true
			return errNoJSON
		}
		if err := s.record(rec); err != nil {
			return err
		}
	}
}

// record takes in the present record. It returns an error when the stream ends
// with it.
func (s *session) record(rec *records) (end error) {
	x := s.x
	x.last = x.cfg.Clock.Now()
	at := schema.TimeOf(x.last)
	more := yieldRecord(x.cfg.Name, rec, &at, func(e schema.Event, err error) bool {
		s.delivered = s.delivered || e.Kind == schema.KindTweet
		if endsStream(&e) {
			s.end, s.told = problemKind(rec.value), true
			end = errors.New(e.Detail)
		}
		return s.in.yield(e, x.withoutToken(err))
	})
	size := len(rec.value)
	if rec.bad != nil {
		size = len(rec.bad.Raw)
	}
	s.in.recordEnds(size)
	if !more {
		return errStopped
	}
	if end == nil && !s.alive {
		s.alive = true
		x.retry.http, x.retry.limited = 0, 0
	}
	return end
}

// withoutToken hides the token in a record that was set aside.
func (x *X) withoutToken(err error) error {
	r, ok := errors.AsType[*Rejected](err)
	if ok && x.cfg.Token.in(r.Raw) {
		r.Raw = []byte(x.cfg.Token.redact(string(r.Raw)))
		r.Err = errors.New(x.cfg.Token.redact(r.Err.Error()))
	}
	return err
}

// endsStream reports whether a message says that nothing more will come.
func endsStream(e *schema.Event) bool {
	return e.Control == "disconnect" ||
		e.Control == controlProblem && (strings.HasPrefix(e.Detail, problemDisconnect) || strings.HasPrefix(e.Detail, problemConnection))
}
