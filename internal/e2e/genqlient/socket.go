package main

import (
	"context"
	"net/http"

	"github.com/Khan/genqlient/graphql"
	"github.com/coder/websocket"
)

// dialer opens sockets as genqlient wants them.
type dialer struct{}

func (dialer) DialContext(ctx context.Context, url string, header http.Header) (graphql.WSConn, error) {
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: header, Subprotocols: []string{"graphql-transport-ws"}})
	return socket{ctx, conn}, err
}

type socket struct {
	ctx  context.Context
	conn *websocket.Conn
}

func (s socket) Close() error { return s.conn.CloseNow() }

func (s socket) WriteMessage(kind int, message []byte) error {
	return s.conn.Write(s.ctx, websocket.MessageType(kind), message)
}

func (s socket) ReadMessage() (kind int, message []byte, err error) {
	t, message, err := s.conn.Read(s.ctx)
	return int(t), message, err
}
