package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"visualizer/schema"
)

// Streams of the X API, as XConfig.Path.
const (
	SampleStream = "/2/tweets/sample/stream" // 1 % of all tweets
	SearchStream = "/2/tweets/search/stream" // what matches the app's rules
)

// XConfig configures an X client.
type XConfig struct {
	Name  string // default "x"
	URL   string // base of the API, default https://api.x.com
	Path  string // default SampleStream
	Token Token
	// OnState is told each change of state, with the error that led to it. It
	// is called by the goroutine that reads the events.
	OnState func(schema.StreamState, error)
	// Transport is for tests; nil is one with one connection at a time.
	Transport http.RoundTripper
	Clock     Clock
}

// X is the client of a stream of the X API. It connects again whenever the
// stream ends, as the API's documentation asks.
type X struct {
	cfg    XConfig
	url    string
	client *http.Client
	retry  retry
}

const (
	defaultURL = "https://api.x.com"
	userAgent  = "visualizer/1"
	// silence is how long a stream may be without a byte, of which a
	// keep-alive line every 20 s is the least.
	silence = 20 * time.Second
	// maxProblemBytes is how much of an answer that is no stream is read.
	maxProblemBytes = 4 << 10
)

// NewX returns a client. It does not connect yet.
func NewX(cfg XConfig) (*X, error) {
	if cfg.Name == "" {
		cfg.Name = "x"
	}
	if cfg.URL == "" {
		cfg.URL = defaultURL
	}
	if cfg.Path == "" {
		cfg.Path = SampleStream
	}
	if cfg.OnState == nil {
		cfg.OnState = func(schema.StreamState, error) {}
	}
	if cfg.Transport == nil {
		cfg.Transport = newTransport()
	}
	cfg.Clock = cfg.Clock.orReal()
	base, err := url.Parse(cfg.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("open stream: %.100q is no URL: give one like %s", cfg.URL, defaultURL)
	}
	u := base.JoinPath(cfg.Path)
	u.RawQuery = streamQuery().Encode()
	client := &http.Client{Transport: cfg.Transport, CheckRedirect: sameHost}
	return &X{cfg: cfg, url: u.String(), client: client}, nil
}

// newTransport makes a connection for each request, so that a name is looked
// up again and no connection outlives its stream.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	t.DisableCompression = true // stream decompresses itself, to see each byte arrive
	return t
}

// sameHost lets no redirect lead to another host, which would get the token.
func sameHost(req *http.Request, via []*http.Request) error {
	if from := via[0].URL; req.URL.Host != from.Host || req.URL.Scheme != from.Scheme || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// streamQuery asks for all that schema.Tweet has.
func streamQuery() url.Values {
	return url.Values{
		"tweet.fields": {"id,text,author_id,created_at,lang,source,conversation_id,in_reply_to_user_id,entities,geo,public_metrics," +
			"referenced_tweets,attachments,possibly_sensitive,withheld,edit_history_tweet_ids,note_tweet"},
		"expansions":   {"author_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys,geo.place_id"},
		"user.fields":  {"id,username,name,description,public_metrics,verified,location,created_at,profile_image_url"},
		"place.fields": {"id,full_name,country_code,geo"},
		"media.fields": {"media_key,type,url,preview_image_url,alt_text"},
	}
}

// Name returns the configured name.
func (x *X) Name() string { return x.cfg.Name }

// Events yields the stream's events, observed at arrival, until ctx ends or
// the API refuses the token. It must not run twice at a time: the API allows
// one connection.
func (x *X) Events(ctx context.Context) iter.Seq2[schema.Event, error] {
	return func(yield func(schema.Event, error) bool) {
		x.cfg.OnState(schema.StateConnecting, nil)
		for {
			wait, err := x.connection(ctx, yield)
			switch {
			case ctx.Err() != nil || errors.Is(err, errStopped):
				return
			case errors.Is(err, errRefused):
				yield(schema.Event{}, err)
				return
			}
			x.cfg.OnState(schema.StateReconnecting, err)
			if wait > 0 && x.cfg.Clock.Sleep(ctx, wait) != nil {
				return
			}
		}
	}
}

var (
	errStopped = errors.New("the reader stopped")
	errRefused = errors.New("the bearer token is not accepted: check --x-bearer-token-file and what the app may use")
	errSilent  = fmt.Errorf("nothing came for %v", silence)
)

// connection connects and reads until the stream ends. It returns why it
// ended, and how long to wait before the next one.
func (x *X) connection(ctx context.Context, yield yielder) (time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watch{clock: x.cfg.Clock, silent: func() { cancel(errSilent) }}
	resp, err := x.get(ctx, w)
	if err != nil {
		return x.retry.afterNetwork(), x.connectError(cause(ctx, err))
	}
	defer resp.Body.Close()
	if err := x.checkStatus(resp, w); err != nil {
		return x.waitAfter(resp), x.connectError(err)
	}
	x.retry.http, x.retry.limited = 0, 0
	x.cfg.OnState(schema.StateRunning, nil)
	delivered, err := x.read(resp, w, yield)
	err = fmt.Errorf("read %s: %w", x.cfg.Name, cause(ctx, err))
	if !delivered { // else it counts as a success, and may go on at once
		return x.retry.afterNetwork(), err
	}
	x.retry.network = 0
	return 0, err
}

// cause returns errSilent instead of the cancellation that it led to.
func cause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

func (x *X) connectError(err error) error {
	return fmt.Errorf("connect to %s: %w", x.cfg.Name, err)
}

func (x *X) get(ctx context.Context, w *watch) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, x.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept-Encoding", "gzip")
	if h := x.cfg.Token.header(); h != "" {
		req.Header.Set("Authorization", h)
	}
	defer w.start()()
	resp, err := x.client.Do(req)
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err // without the URL and its long query
	}
	return resp, err
}

// checkStatus returns an error unless the answer is a stream.
func (x *X) checkStatus(resp *http.Response, w *watch) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && kind != "text/html" {
		return nil
	}
	text := resp.Status
	switch resp.StatusCode / 100 {
	case 2:
		text += ": it is no stream of JSON"
	case 3:
		text += ": it leads to another host"
	}
	if kind == "application/json" || kind == "application/problem+json" {
		body, _ := io.ReadAll(io.LimitReader(w.reader(resp.Body), maxProblemBytes))
		var p problemJSON
		if json.Unmarshal(body, &p, wireOptions) == nil {
			text += ": " + problemDetail(body)
		}
	}
	text = x.cfg.Token.redact(text)
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return fmt.Errorf("%s: %w", text, errRefused)
	}
	return errors.New(text)
}

// waitAfter returns the wait after an answer that is no stream.
func (x *X) waitAfter(resp *http.Response) time.Duration {
	const enhanceYourCalm = 420 // of API v1.1
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != enhanceYourCalm {
		return jitter(x.retry.afterHTTP())
	}
	var reset time.Duration
	if unix, err := strconv.ParseInt(resp.Header.Get("X-Rate-Limit-Reset"), 10, 64); err == nil {
		reset = min(time.Unix(unix, 0).Sub(x.cfg.Clock.Now()), limitMost)
	}
	return jitter(x.retry.afterLimit(reset))
}

// read yields the events of a connection until it ends. It reports whether a
// tweet came.
func (x *X) read(resp *http.Response, w *watch, yield yielder) (delivered bool, err error) {
	body, err := decompress(resp, w.reader(resp.Body))
	if err != nil {
		return false, err
	}
	rec := newRecords(body)
	rec.oneLine = true
	end := error(nil)
	pass := func(e schema.Event, err error) bool {
		delivered = delivered || e.Kind == schema.KindTweet
		if endsStream(&e) {
			end = errors.New(e.Detail)
		}
		return yield(e, err)
	}
	for {
		if err := rec.next(); err == io.EOF {
			return delivered, errors.New("the server closed the stream")
		} else if err != nil {
			return delivered, err
		}
		at := schema.TimeOf(x.cfg.Clock.Now())
		if !yieldRecord(x.cfg.Name, rec, &at, pass) {
			return delivered, errStopped
		}
		if end != nil {
			return delivered, end
		}
	}
}

// endsStream reports whether a message says that nothing more will come.
func endsStream(e *schema.Event) bool {
	return e.Control == "disconnect" ||
		e.Control == controlProblem && (strings.HasPrefix(e.Detail, problemDisconnect) || strings.HasPrefix(e.Detail, problemConnection))
}

func decompress(resp *http.Response, body io.Reader) (io.Reader, error) {
	switch encoding := resp.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return body, nil
	case "gzip":
		return openGzip(body)
	default:
		return nil, fmt.Errorf("content encoding %.40q is unknown", encoding)
	}
}
