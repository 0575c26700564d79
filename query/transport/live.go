package transport

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"visualizer/graph"
)

// Live bounds the connections that stay, and ends them.
type Live struct {
	limits LiveLimits
	ctx    context.Context // until Close
	cancel context.CancelFunc
	places chan struct{} // one for each connection

	mu     sync.Mutex // between joining and closing
	closed bool
	joined sync.WaitGroup
}

// LiveLimits are the limits of connections that stay.
type LiveLimits struct {
	// Connections is how many there may be.
	Connections int
	// Operations is how many each WebSocket may have at a time.
	Operations int
	// Message is the largest message of a client in bytes.
	Message int64
	// Init is how long a WebSocket may take to send connection_init.
	Init time.Duration
	// Ping is how often a WebSocket is asked for a sign of life, and Pong how
	// long that may take. Who never reads is gone after both.
	Ping, Pong time.Duration
	// Write is how long a client may take to receive a message.
	Write time.Duration
	// KeepAlive is how often a line goes over an event stream, so that proxies
	// keep it open.
	KeepAlive time.Duration
	// Slots bound the operations that do work, with those of HTTP.
	Slots Slots
	// Allow, unless nil, counts an operation of a client; false refuses it.
	Allow func(*http.Request) bool
	// Admit, unless nil, returns the context for the operations of a WebSocket
	// by the payload of its connection_init; an error refuses the connection.
	Admit func(ctx context.Context, r *http.Request, payload map[string]any) (context.Context, error)
}

// NewLive returns an empty set of connections.
func NewLive(limits LiveLimits) *Live {
	ctx, cancel := context.WithCancel(context.Background())
	return &Live{limits: limits, ctx: ctx, cancel: cancel, places: make(chan struct{}, limits.Connections)}
}

// Close ends all connections, WebSockets with code 1012, and waits until they
// have ended.
func (l *Live) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.joined.Wait()
}

// join takes a place for a connection. Its context ends with the client's or
// with Close.
func (l *Live) join(client context.Context) (ctx context.Context, leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, false
	}
	select {
	case l.places <- struct{}{}:
	default:
		return nil, nil, false
	}
	l.joined.Add(1)
	ctx, cancel := context.WithCancel(client)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
		<-l.places
		l.joined.Done()
	}, true
}

// refuse answers a request that got no place.
func (l *Live) refuse(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, r, http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE", "too many connections are open: try again later")
}

// Slots bound the operations that do work at a time.
type Slots chan struct{}

// NewSlots returns n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

// Take takes a slot, unless none is free.
func (s Slots) Take() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

// Free gives a slot back.
func (s Slots) Free() { <-s }

type endKey struct{}

// EndWith makes err the last word of the subscription that ctx belongs to, for
// when its resolver closes the channel. Without it, a subscription ends as
// complete.
func EndWith(ctx context.Context, err *gqlerror.Error) {
	if end, ok := ctx.Value(endKey{}).(*ending); ok {
		end.mu.Lock()
		defer end.mu.Unlock()
		end.err = err
	}
}

// ending is how an operation ends.
type ending struct {
	mu  sync.Mutex
	err *gqlerror.Error
}

// run runs an operation and passes on its responses, until one can't be. It
// calls begun once, when a subscription is told of what happens from then on or
// an operation is refused. It returns errors when the operation is refused or
// ended by one.
func (l *Live) run(ctx context.Context, r *http.Request, exec graphql.GraphExecutor, params *graphql.RawParams, begun func(), next func(*graphql.Response) error) (errs gqlerror.List) {
	begun = sync.OnceFunc(begun)
	defer begun()
	end := &ending{}
	ctx = context.WithValue(graphql.StartOperationTrace(ctx), endKey{}, end)
	refused := func(list gqlerror.List) gqlerror.List { return exec.DispatchError(ctx, list).Errors }
	defer func() {
		if cause := recover(); cause != nil {
			errs = refused(gqlerror.List{gqlerror.Wrap(graph.RecoverPanic(ctx, cause))})
		}
	}()
	if l.limits.Allow != nil && !l.limits.Allow(r) {
		return refused(coded("RATE_LIMITED", "you ask too often: wait a little"))
	}
	if !l.limits.Slots.Take() {
		return refused(coded("SERVICE_UNAVAILABLE", "too many operations are under way: try again later"))
	}
	free := sync.OnceFunc(l.limits.Slots.Free)
	defer free()
	operation, list := exec.CreateOperationContext(ctx, params)
	ctx = graphql.WithOperationContext(ctx, operation)
	if list != nil {
		return refused(list)
	}
	if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" && operation.Operation.Operation == ast.Mutation {
		return refused(coded(CodeBadRequest, "a mutation changes things: send it by POST"))
	}
	responses, ctx := exec.DispatchOperation(ctx, operation)
	begun()
	if operation.Operation.Operation != ast.Subscription {
		_ = next(responses(ctx)) // the connection ends by itself
		return nil
	}
	free() // it waits from here on
	for resp := responses(ctx); resp != nil; resp = responses(ctx) {
		if next(resp) != nil {
			return nil
		}
	}
	end.mu.Lock()
	defer end.mu.Unlock()
	if end.err != nil {
		return refused(gqlerror.List{end.err})
	}
	return nil
}

func coded(code, format string, args ...any) gqlerror.List {
	return gqlerror.List{{Message: fmt.Sprintf(format, args...), Extensions: map[string]any{"code": code}}}
}
