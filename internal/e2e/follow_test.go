package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// follower is a client that follows new tweets.
type follower struct {
	mu   sync.Mutex
	ids  []string
	code string // of the error that ended it, or of the close
	end  chan struct{}
	stop context.CancelFunc
}

func (f *follower) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ids[:len(f.ids):len(f.ids)]
}

func (f *follower) ended() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.code
}

// event is an answer to a subscription.
type event answer[*struct{ TweetAdded struct{ ID string } }]

func (f *follower) take(e event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Data != nil {
		f.ids = append(f.ids, e.Data.TweetAdded.ID)
	}
	for _, err := range e.Errors {
		f.code = err.Extensions.Code
	}
}

func (f *follower) close(code string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.code == "" {
		f.code = code
	}
}

// followed are the ids alone: what else is asked for makes no difference.
const followed = `subscription($filter: TweetFilter) { tweetAdded(filter: $filter) { id } }`

// newFollower runs read until the client ends, and returns when it has begun.
func newFollower(t *testing.T, read func(ctx context.Context, f *follower, begun func()) error) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &follower{end: make(chan struct{}), stop: cancel}
	begun := make(chan struct{})
	go func() {
		defer close(f.end)
		if err := read(ctx, f, sync.OnceFunc(func() { close(begun) })); err != nil {
			f.close(err.Error())
		}
	}()
	t.Cleanup(func() { cancel(); <-f.end })
	select {
	case <-begun:
	case <-f.end:
	}
	return f
}

// followEvents follows by server-sent events.
func followEvents(t *testing.T, endpoint, query string, filter any) *follower {
	t.Helper()
	return newFollower(t, func(ctx context.Context, f *follower, begun func()) error {
		variables, err := json.Marshal(map[string]any{"filter": filter})
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, "GET", endpoint+"?"+url.Values{"query": {query}, "variables": {string(variables)}}.Encode(), nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", "text/event-stream")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != 200 {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		begun()
		lines := bufio.NewReader(resp.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return err
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				var e event
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					return err
				}
				f.take(e)
			}
			if strings.HasPrefix(line, "event: complete") {
				f.close("complete")
				return nil
			}
		}
	})
}

// followSocket follows by a WebSocket. The pong to a ping behind subscribe says
// that it has begun.
func followSocket(t *testing.T, endpoint, query string, filter any) *follower {
	t.Helper()
	return newFollower(t, func(ctx context.Context, f *follower, begun func()) error {
		conn, err := openSocket(ctx, endpoint, nil)
		if err != nil {
			return err
		}
		defer conn.CloseNow()
		variables := map[string]any{"filter": filter}
		if err := wsjson.Write(ctx, conn, map[string]any{"type": "subscribe", "id": "1", "payload": map[string]any{"query": query, "variables": variables}}); err != nil {
			return err
		}
		if err := wsjson.Write(ctx, conn, map[string]any{"type": "ping"}); err != nil {
			return err
		}
		for {
			var m struct {
				Type    string
				Payload json.RawMessage
			}
			if err := wsjson.Read(ctx, conn, &m); err != nil {
				if code := websocket.CloseStatus(err); code >= 0 {
					return fmt.Errorf("%d", code)
				}
				return err
			}
			var e event
			switch m.Type {
			case "pong":
				begun()
			case "next":
				err = json.Unmarshal(m.Payload, &e)
			case "error":
				err = json.Unmarshal(m.Payload, &e.Errors)
			case "complete":
				f.close("complete")
				return nil
			}
			if err != nil {
				return err
			}
			f.take(e)
			if m.Type == "error" {
				return nil
			}
		}
	})
}

// openSocket opens a WebSocket up to connection_ack.
func openSocket(ctx context.Context, endpoint string, init any) (*websocket.Conn, error) {
	conn, _, err := websocket.Dial(ctx, endpoint, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(-1)
	var ack struct{ Type string }
	err = wsjson.Write(ctx, conn, map[string]any{"type": "connection_init", "payload": init})
	if err == nil {
		err = wsjson.Read(ctx, conn, &ack)
	}
	if err == nil && ack.Type != "connection_ack" {
		err = fmt.Errorf("heard %s", ack.Type)
	}
	if err != nil {
		conn.CloseNow()
		return nil, err
	}
	return conn, nil
}
