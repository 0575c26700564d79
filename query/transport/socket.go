package transport

import (
	"context"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
)

// subprotocol is the protocol that is spoken over a WebSocket.
const subprotocol = "graphql-transport-ws"

// Codes by which a WebSocket is closed, as the protocol and RFC 6455 have them.
const (
	closeRestart     websocket.StatusCode = 1012
	closeBadMessage  websocket.StatusCode = 4400
	closeNoInit      websocket.StatusCode = 4401
	closeForbidden   websocket.StatusCode = 4403
	closeSubprotocol websocket.StatusCode = 4406
	closeInitTimeout websocket.StatusCode = 4408
	closeSameID      websocket.StatusCode = 4409
	closeInitTwice   websocket.StatusCode = 4429
)

// Socket carries operations over WebSockets. Who may open one has been checked.
type Socket struct{ Live *Live }

var _ graphql.Transport = Socket{}

// Supports takes upgrades.
func (Socket) Supports(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// Do opens a conversation with a client, which lasts until one of both ends it.
// It goes on when Do has returned, so that the stack and the buffers of the
// request are not kept for it.
func (s Socket) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	ctx, leave, ok := s.Live.join(context.WithoutCancel(r.Context()))
	if !ok {
		s.Live.refuse(w, r)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // of the origin, which the edge has checked
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		leave()
		return // Accept has answered
	}
	go func() { // Live waits for it
		defer leave()
		defer conn.CloseNow()
		s.speak(ctx, conn, r, exec)
	}()
}

func (s Socket) speak(ctx context.Context, conn *websocket.Conn, r *http.Request, exec graphql.GraphExecutor) {
	if conn.Subprotocol() != subprotocol {
		conn.Close(closeSubprotocol, "Subprotocol not acceptable")
		return
	}
	conn.SetReadLimit(s.Live.limits.Message)
	newSession(s.Live, conn, r, exec).serve(ctx)
}
