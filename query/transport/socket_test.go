package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// peer is a client that says just what it is told.
type peer struct {
	t    *testing.T
	conn *websocket.Conn
}

func dial(t *testing.T, url string, protocols ...string) *peer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return &peer{t, conn}
}

func (p *peer) say(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if err := p.conn.Write(p.t.Context(), websocket.MessageText, []byte(text)); err != nil {
			p.t.Fatalf("say %s: %v", text, err)
		}
	}
}

// hear returns the next message, with its payload as text.
func (p *peer) hear() (kind, id, payload string, err error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Second)
	defer cancel()
	_, text, err := p.conn.Read(ctx)
	if err != nil {
		return "", "", "", err
	}
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		p.t.Errorf("%s: %v", text, err)
	}
	return m.Type, m.ID, string(m.Payload), nil
}

// expect hears messages, each as "type id payload".
func (p *peer) expect(want ...string) {
	p.t.Helper()
	for _, w := range want {
		kind, id, payload, err := p.hear()
		if got := strings.TrimSpace(kind + " " + id + " " + payload); got != w || err != nil {
			p.t.Fatalf("heard %q %v, want %q", got, err, w)
		}
	}
}

const initiate = `{"type":"connection_init"}`

func subscribe(id, query string) string {
	return fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":{"query":%q}}`, id, query)
}

// TestSocket: each kind of operation is answered and completed.
func TestSocket(t *testing.T) {
	_, srv := serveTicker(t, shortLimits())
	p := dial(t, srv.URL, subprotocol)
	p.say(initiate, `{"type":"ping"}`, `{"type":"pong","payload":{}}`)
	p.expect("connection_ack", "pong")
	p.say(subscribe("q", `{ok}`))
	p.expect(`next q {"data":{"ok":true}}`, "complete q")
	p.say(subscribe("q", `subscription{tick(n:3)}`))
	p.expect(`next q {"data":{"tick":1}}`, `next q {"data":{"tick":2}}`, `next q {"data":{"tick":3}}`, "complete q")
	p.say(`{"id":"v","type":"subscribe","payload":{"query":"subscription($n:Int!){tick(n:$n)}","variables":{"n":1},"operationName":null}}`)
	p.expect(`next v {"data":{"tick":1}}`, "complete v")
	for query, code := range map[string]string{`{`: "GRAPHQL_PARSE_FAILED", `{no}`: "GRAPHQL_VALIDATION_FAILED", `subscription{gap}`: "FEED_GAP", `subscription{panic}`: "panic"} {
		p.say(subscribe("e", query))
		kind, _, payload, err := p.hear()
		if kind == "next" {
			kind, _, payload, err = p.hear()
		}
		if kind != "error" || !strings.HasPrefix(payload, "[") || !strings.Contains(payload, code) || err != nil {
			t.Errorf("%s: %s %s %v, want error %s", query, kind, payload, err, code)
		}
	}
}

// TestCloseCodes: what the protocol forbids closes the connection with its code.
func TestCloseCodes(t *testing.T) {
	_, srv := serveTicker(t, shortLimits())
	silence := subscribe("1", `subscription{silence}`)
	for _, tt := range []struct {
		name string
		says []string
		code websocket.StatusCode
	}{
		{"silent", nil, 4408},
		{"pings instead of init", []string{`{"type":"ping"}`}, 4408},
		{"no JSON", []string{`{`}, 4400},
		{"a list", []string{`[]`}, 4400},
		{"unknown type", []string{`{"type":"start"}`}, 4400},
		{"no type", []string{`{}`}, 4400},
		{"payload of init", []string{`{"type":"connection_init","payload":5}`}, 4400},
		{"subscribe before init", []string{silence}, 4401},
		{"init refused", []string{`{"type":"connection_init","payload":{"Authorization":"wrong"}}`}, 4403},
		{"init twice", []string{initiate, initiate}, 4429},
		{"no id", []string{initiate, `{"type":"subscribe","payload":{"query":"{ok}"}}`}, 4400},
		{"no payload", []string{initiate, `{"type":"subscribe","id":"1"}`}, 4400},
		{"query of a number", []string{initiate, `{"type":"subscribe","id":"1","payload":{"query":5}}`}, 4400},
		{"same id", []string{initiate, silence, silence}, 4409},
		{"too large", []string{initiate, subscribe("1", strings.Repeat(" ", 2<<10))}, websocket.StatusMessageTooBig},
	} {
		p := dial(t, srv.URL, subprotocol)
		p.say(tt.says...)
		var err error
		for err == nil {
			_, _, _, err = p.hear()
		}
		if got := websocket.CloseStatus(err); got != tt.code {
			t.Errorf("%s: closed with %d (%v), want %d", tt.name, got, err, tt.code)
		}
	}
	p := dial(t, srv.URL, subprotocol)
	if err := p.conn.Write(t.Context(), websocket.MessageBinary, []byte(initiate)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := p.hear(); websocket.CloseStatus(err) != 4400 {
		t.Errorf("binary: %v, want 4400", err)
	}
	if _, _, _, err := dial(t, srv.URL).hear(); websocket.CloseStatus(err) != 4406 {
		t.Errorf("no subprotocol: %v, want 4406", err)
	}
}

// TestComplete: nothing is said for an id after its complete, also when the id
// comes again at once and its first operation goes on speaking.
func TestComplete(t *testing.T) {
	served := newTicker()
	_, srv := serve(t, served, shortLimits())
	p := dial(t, srv.URL, subprotocol)
	p.say(initiate, subscribe("1", `subscription{deaf}`))
	p.expect("connection_ack")
	<-served.deaf
	p.say(`{"id":"1","type":"complete"}`, `{"type":"ping"}`)
	p.expect("pong")
	p.say(subscribe("1", `subscription{silence}`))
	served.deaf <- struct{}{}
	// The first has ended when there is room for another.
	await(t, "the first has ended", func() bool {
		p.say(subscribe("2", `{ok}`))
		kind, id, payload, err := p.hear()
		if id != "2" || err != nil {
			t.Fatalf("heard %s %s %s %v", kind, id, payload, err)
		}
		if kind == "next" {
			p.expect("complete 2")
		}
		return kind == "next"
	})
	p.say(`{"id":"1","type":"complete"}`, `{"id":"1","type":"complete"}`, `{"type":"ping"}`)
	p.expect("pong")
}

// TestBounds: operations a socket and sockets in all are bounded; what was
// refused closes nothing, and what ends makes room.
func TestBounds(t *testing.T) {
	live, srv := serveTicker(t, shortLimits())
	p := dial(t, srv.URL, subprotocol)
	p.say(initiate)
	p.expect("connection_ack")
	for i := range 200 {
		p.say(subscribe(fmt.Sprint(i), `subscription{silence}`))
	}
	for i := 2; i < 200; i++ {
		kind, id, payload, err := p.hear()
		if kind != "error" || id != fmt.Sprint(i) || !strings.Contains(payload, "RATE_LIMITED") {
			t.Fatalf("operation %d: %s %s %s %v", i, kind, id, payload, err)
		}
	}
	p.say(`{"id":"0","type":"complete"}`)
	await(t, "an operation fits again", func() bool {
		p.say(subscribe("q", `{ok}`))
		kind, _, _, err := p.hear()
		if kind == "next" {
			p.expect("complete q")
		}
		return kind == "next" || err != nil
	})
	others := []*peer{dial(t, srv.URL, subprotocol), dial(t, srv.URL, subprotocol)}
	for _, o := range others {
		o.say(initiate)
		o.expect("connection_ack")
	}
	_, resp, err := websocket.Dial(t.Context(), srv.URL, &websocket.DialOptions{Subprotocols: []string{subprotocol}})
	if err == nil || resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("one connection too many: %v %v, want 503", err, resp)
	}
	for _, o := range append(others, p) {
		o.conn.CloseNow()
	}
	await(t, "all places are free", func() bool { return len(live.places) == 0 })
}

// TestNeverReads: who never reads is gone, whether it has sent pongs early or
// asked for more than the network holds.
func TestNeverReads(t *testing.T) {
	for name, frames := range map[string][]string{
		"early pong": {initiate},
		"flood":      {initiate, subscribe("1", `subscription{flood}`)},
	} {
		t.Run(name, func(t *testing.T) {
			limits := shortLimits()
			limits.Slots = NewSlots(1)
			live, srv := serveTicker(t, limits)
			conn, err := net.Dial("tcp", srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
				"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: %s\r\n\r\n", subprotocol)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
				t.Fatalf("%v %v", resp, err)
			}
			for _, text := range frames {
				conn.Write(append([]byte{0x81, 0x80 | 126, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}, text...))
			}
			conn.Write([]byte{0x8a, 0x80, 0, 0, 0, 0}) // a pong that nobody asked for
			await(t, "its place is free", func() bool { return len(live.places) == 0 })
		})
	}
}

// TestRestart: when the service stops, sockets are told to come again.
func TestRestart(t *testing.T) {
	live, srv := serveTicker(t, shortLimits())
	p := dial(t, srv.URL, subprotocol)
	p.say(initiate, subscribe("1", `subscription{silence}`))
	p.expect("connection_ack")
	done := make(chan struct{})
	go func() {
		live.Close()
		close(done)
	}()
	if _, _, _, err := p.hear(); websocket.CloseStatus(err) != 1012 {
		t.Errorf("%v, want 1012", err)
	}
	<-done
	if _, resp, err := websocket.Dial(t.Context(), srv.URL, nil); err == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after the stop: %v, want 503", err)
	}
}
