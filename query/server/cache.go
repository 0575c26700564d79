package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/graph"
	"visualizer/query/cache"
	"visualizer/query/search"
)

const (
	responseBytes = 32 << 20 // of all cached responses
	// maxResponse is the largest response that is cached.
	maxResponse = 1 << 20
)

// response is what an operation was answered.
type response struct {
	header http.Header
	body   []byte
}

// responses answers operations again that were answered in the same epoch of
// the store. To a request that can't be cached it makes no difference.
type responses struct {
	store    *search.Store
	deadline time.Duration
	next     http.Handler
	cache    *cache.Cache[*response]
}

func newResponses(cfg Config, next http.Handler) *responses {
	return &responses{cfg.Store, cfg.Deadline, next, cache.New(responseBytes, func(r *response) int { return len(r.body) + 100 })}
}

func (c *responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || stays(r) || asksForPlans(r.Context()) {
		c.next.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body) // which limitSize has read
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		c.next.ServeHTTP(w, r)
		return
	}
	question := strings.Join(r.Header.Values("Accept"), ",") + "\x00" + r.Header.Get("Content-Type") + "\x00" + string(body)
	began := time.Now()
	known, ok, err := c.known(r.Context(), question)
	if ok {
		for name, values := range known.header {
			w.Header()[name] = values
		}
		w.Write(known.body)
		return
	}
	if err != nil { // what time is left is the operation's, and a moment to tell so
		ctx, cancel := context.WithDeadline(r.Context(), began.Add(c.deadline+lastMoment))
		defer cancel()
		r = r.WithContext(ctx)
	}
	c.fill(w, r, question)
}

// lastMoment is how long an operation has to tell that there was no time for it.
const lastMoment = 50 * time.Millisecond

// known returns the answer to a question that stands. Redis is asked for its
// epoch only when there is one: what will be refused costs it nothing.
func (c *responses) known(ctx context.Context, question string) (known *response, ok bool, err error) {
	if !c.cache.Has(question) {
		return nil, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	epoch, err := c.store.Epoch(ctx)
	if err != nil {
		return nil, false, err
	}
	known, ok = c.cache.Get(question, epoch)
	return known, ok, nil
}

// fill answers a request, and keeps the answer when it may be given again.
func (c *responses) fill(w http.ResponseWriter, r *http.Request, question string) {
	n := &note{store: c.store}
	copied := &copyingWriter{ResponseWriter: w}
	c.next.ServeHTTP(copied, r.WithContext(context.WithValue(r.Context(), noteKey{}, n)))
	if n.epoch != "" { // it could have been kept
		c.cache.Stats().Misses.Add(1)
	}
	if n.repeatable && copied.status == http.StatusOK && copied.kept() {
		c.cache.Put(question, n.epoch, n.began, &response{ownHeader(w.Header()), copied.body.Bytes()})
	}
}

// ownHeader returns what belongs to the answer and not to the request.
func ownHeader(all http.Header) http.Header {
	own := http.Header{}
	for _, name := range []string{"Content-Type", "Cache-Control", "Vary"} {
		if values := all.Values(name); values != nil {
			own[name] = slices.Clone(values)
		}
	}
	return own
}

// copyingWriter keeps what is written, unless that is too much.
type copyingWriter struct {
	http.ResponseWriter
	status  int
	body    bytes.Buffer
	written int
}

// kept reports whether the body is all that was written.
func (w *copyingWriter) kept() bool { return w.body.Len() == w.written }

func (w *copyingWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *copyingWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.written += len(p); w.written <= maxResponse {
		w.body.Write(p)
	}
	return w.ResponseWriter.Write(p)
}

// note is what the execution of an operation tells about its answer.
type note struct {
	store *search.Store
	epoch string // before the execution
	began time.Time
	// repeatable: it may be answered alike while the epoch stands.
	repeatable bool
}

type noteKey struct{}

// noteBefore notes the epoch in which an operation is executed.
func noteBefore(ctx context.Context) *note {
	n, _ := ctx.Value(noteKey{}).(*note)
	if n == nil || len(graphql.GetErrors(ctx)) > 0 || !repeatable(graphql.GetOperationContext(ctx)) {
		return nil
	}
	epoch, err := n.store.Epoch(ctx)
	if err != nil {
		return nil
	}
	n.epoch, n.began = epoch, time.Now()
	return n
}

// of returns the epoch that was noted, "" when there is none.
func (n *note) of() string {
	if n == nil {
		return ""
	}
	return n.epoch
}

// noteAfter notes whether the operation succeeded, and the age of what it was
// answered from.
func (n *note) noteAfter(resp *graphql.Response, pages *graph.Ages) {
	if n == nil {
		return
	}
	n.repeatable = resp != nil && len(resp.Errors) == 0 && pages.OneEpoch()
	n.began = pages.Oldest(n.began)
}

// repeatable reports whether an operation asks for nothing but tweets.
func repeatable(operation *graphql.OperationContext) bool {
	if operation.Operation == nil || operation.Operation.Operation != ast.Query {
		return false
	}
	for _, f := range graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{"Query"}) {
		switch f.Name {
		case "tweets", "tweet", "node", "user", "__typename":
		default:
			return false
		}
	}
	return true
}
