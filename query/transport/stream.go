package transport

import (
	"context"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// typeEvents is the media type of server-sent events.
const typeEvents = "text/event-stream"

// Stream carries an operation's answers as server-sent events: a request each.
type Stream struct{ Live *Live }

var _ graphql.Transport = Stream{}

// WantsStream reports whether a request is for server-sent events.
func WantsStream(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if name, _, err := mime.ParseMediaType(part); err == nil && name == typeEvents {
			return true
		}
	}
	return false
}

// Supports takes requests for server-sent events.
func (Stream) Supports(r *http.Request) bool {
	return WantsStream(r) && r.Header.Get("Upgrade") == "" && (r.Method == http.MethodGet || r.Method == http.MethodPost)
}

// Do answers with events until the operation ends, or the client goes. What is
// wrong with the operation is an event too, since clients ask again after an
// answer with another status.
func (s Stream) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	params, wrong := HTTP{}.read(w, r)
	if wrong != nil {
		Refuse(w, r, wrong.status, CodeBadRequest, wrong.message)
		return
	}
	ctx, leave, ok := s.Live.join(r.Context())
	if !ok {
		s.Live.refuse(w, r)
		return
	}
	defer leave()
	events := &events{w: w, control: http.NewResponseController(w), timeout: s.Live.limits.Write}
	ctx, cancel := context.WithCancel(ctx)
	var alive sync.WaitGroup
	defer alive.Wait()
	defer cancel()
	begun := func() {
		if events.start() != nil {
			cancel()
			return
		}
		alive.Go(func() { events.keepAlive(ctx, s.Live.limits.KeepAlive, cancel) })
	}
	errs := s.Live.run(ctx, r, exec, params, begun, events.next)
	if len(errs) > 0 && events.next(&graphql.Response{Errors: errs}) != nil {
		return
	}
	if ctx.Err() == nil {
		_ = events.write("event: complete\ndata:\n\n") // nobody is there to be told
	}
}

// events writes server-sent events.
type events struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // of a client to receive one
}

// start sends the head of the answer, which says that the client is told of what
// happens from now on. It has no end that the server's
// timeouts may set.
func (e *events) start() error {
	_ = e.control.SetReadDeadline(time.Time{}) // where there is none, none is needed
	noStore(e.w)
	e.w.Header().Set("Content-Type", typeEvents+"; charset=utf-8")
	e.w.Header().Set("X-Accel-Buffering", "no")
	e.w.WriteHeader(http.StatusOK)
	return e.write(":\n\n")
}

func (e *events) next(resp *graphql.Response) error {
	payload, err := encode(resp)
	if err != nil {
		return err
	}
	return e.write("event: next\ndata: " + string(payload) + "\n\n")
}

// write sends text at once; an error ends the stream.
func (e *events) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.control.SetWriteDeadline(time.Now().Add(e.timeout))
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.control.Flush()
}

// keepAlive writes comments until ctx ends, or one can't be written.
func (e *events) keepAlive(ctx context.Context, every time.Duration, failed func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if e.write(":\n\n") != nil {
				failed()
				return
			}
		}
	}
}
