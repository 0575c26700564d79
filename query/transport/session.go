package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// session is a conversation over a WebSocket.
type session struct {
	live  *Live
	conn  *websocket.Conn
	r     *http.Request
	exec  graphql.GraphExecutor
	init  *time.Timer // closes the connection
	ended sync.WaitGroup

	// Of the loop that reads:
	initiated bool
	ctx       context.Context // of operations, after connection_init

	mu      sync.Mutex            // orders messages and guards what follows
	open    map[string]*operation // by id
	running int                   // those that were completed included
}

// operation is one that a client has not completed.
type operation struct {
	id     string
	cancel context.CancelFunc
}

// message is one of a client.
type message struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload"`
}

func newSession(live *Live, conn *websocket.Conn, r *http.Request, exec graphql.GraphExecutor) *session {
	return &session{live: live, conn: conn, r: r, exec: exec, open: map[string]*operation{}}
}

// serve reads messages until the connection ends. When ctx ends first, the
// service is stopping.
func (s *session) serve(ctx context.Context) {
	operations, cancel := context.WithCancel(ctx)
	defer s.ended.Wait()
	defer cancel()
	defer s.conn.CloseNow()
	s.init = time.AfterFunc(s.live.limits.Init, func() { s.conn.Close(closeInitTimeout, "Connection initialisation timeout") })
	defer s.init.Stop()
	stop := context.AfterFunc(ctx, func() { s.conn.Close(closeRestart, "Service Restart") })
	defer stop()
	s.ended.Go(func() { s.ping(operations) })
	for {
		// A read that is cancelled would cut the connection without a code.
		kind, text, err := s.conn.Read(context.WithoutCancel(ctx))
		if err != nil {
			return
		}
		if code, reason := s.take(operations, kind, text); code != 0 {
			s.conn.Close(code, reason)
			return
		}
	}
}

// ping ends a connection whose client shows no sign of life. Only the answer to
// each ping counts.
func (s *session) ping(ctx context.Context) {
	every := time.NewTicker(s.live.limits.Ping)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		waiting, cancel := context.WithTimeout(ctx, s.live.limits.Pong)
		err := s.conn.Ping(waiting)
		cancel()
		if err != nil && ctx.Err() == nil {
			s.conn.CloseNow()
			return
		}
	}
}

// take obeys a message, or returns why the connection is to be closed.
func (s *session) take(ctx context.Context, kind websocket.MessageType, text []byte) (websocket.StatusCode, string) {
	var m message
	if kind != websocket.MessageText || json.Unmarshal(text, &m) != nil {
		return closeBadMessage, "Invalid message"
	}
	switch m.Type {
	case "connection_init":
		return s.initiate(ctx, m)
	case "ping":
		s.send(`{"type":"pong"}`)
	case "pong":
	case "subscribe":
		return s.subscribe(m)
	case "complete":
		s.complete(m.ID)
	default:
		return closeBadMessage, "Invalid message type"
	}
	return 0, ""
}

func (s *session) initiate(ctx context.Context, m message) (websocket.StatusCode, string) {
	if s.initiated {
		return closeInitTwice, "Too many initialisation requests"
	}
	s.initiated = true
	var payload map[string]any
	if !decode(m.Payload, &payload) {
		return closeBadMessage, "The payload of connection_init is not an object"
	}
	if admit := s.live.limits.Admit; admit != nil {
		var err error
		if ctx, err = admit(ctx, s.r, payload); err != nil {
			return closeForbidden, "Forbidden"
		}
	}
	s.init.Stop()
	s.ctx = ctx
	s.send(`{"type":"connection_ack"}`)
	return 0, ""
}

func (s *session) subscribe(m message) (websocket.StatusCode, string) {
	if s.ctx == nil {
		return closeNoInit, "Unauthorized"
	}
	params, ok := readPayload(m.Payload)
	if !ok || m.ID == "" {
		return closeBadMessage, "subscribe needs an id and a payload with a query"
	}
	params.Headers = s.r.Header
	begun := make(chan struct{})
	if code, reason := s.start(m.ID, params, begun); code != 0 {
		return code, reason
	}
	// What the client sends behind this, a ping or a complete, is answered when
	// it is told of what happens from now on.
	<-begun
	return 0, ""
}

// start starts an operation, unless there are too many. It closes begun.
func (s *session) start(id string, params *graphql.RawParams, begun chan struct{}) (websocket.StatusCode, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] != nil {
		return closeSameID, "Subscriber for this id already exists"
	}
	if s.running >= s.live.limits.Operations {
		close(begun)
		s.write(id, "error", errorsJSON(coded("RATE_LIMITED", "this connection has %d operations: complete one first, or open another", s.running)))
		return 0, ""
	}
	ctx, cancel := context.WithCancel(s.ctx)
	op := &operation{id: id, cancel: cancel}
	s.open[id] = op
	s.running++
	s.ended.Go(func() { s.operate(ctx, op, params, func() { close(begun) }) })
	return 0, ""
}

// operate runs an operation to its end.
func (s *session) operate(ctx context.Context, op *operation, params *graphql.RawParams, begun func()) {
	defer op.cancel()
	errs := s.live.run(ctx, s.r, s.exec, params, begun, func(resp *graphql.Response) error {
		payload, err := encode(resp)
		if err != nil {
			return err
		}
		return s.next(op, payload)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	if s.open[op.id] != op {
		return // the client has completed it
	}
	delete(s.open, op.id)
	switch {
	case len(errs) > 0:
		s.write(op.id, "error", errorsJSON(errs))
	case ctx.Err() == nil:
		s.write(op.id, "complete", nil)
	}
}

// complete ends an operation by the client's wish. What it still says is not
// sent, since its id may come again.
func (s *session) complete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op := s.open[id]; op != nil {
		delete(s.open, id)
		op.cancel()
	}
}

func (s *session) next(op *operation, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[op.id] != op {
		return context.Canceled
	}
	return s.write(op.id, "next", payload)
}

func (s *session) send(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeText([]byte(text))
}

// write sends a message, under s.mu.
func (s *session) write(id, kind string, payload []byte) error {
	name, err := json.Marshal(id)
	if err != nil {
		return err
	}
	text := make([]byte, 0, len(name)+len(kind)+len(payload)+40)
	text = append(append(text, `{"id":`...), name...)
	text = append(append(append(text, `,"type":"`...), kind...), '"')
	if payload != nil {
		text = append(append(text, `,"payload":`...), payload...)
	}
	return s.writeText(append(text, '}'))
}

// writeText ends the connection when the client doesn't take the text in time.
func (s *session) writeText(text []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.live.limits.Write)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, text)
}

func errorsJSON(errs gqlerror.List) []byte {
	text, err := json.Marshal(errs)
	if err != nil {
		return []byte(`[{"message":"internal error"}]`)
	}
	return text
}
