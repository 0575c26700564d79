package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/redis/rueidis"
)

// searches returns how many commands Redis took that read tweets or the index.
func searches(t *testing.T, redis rueidis.Client) int {
	t.Helper()
	info, err := redis.Do(t.Context(), redis.B().Info().Section("commandstats").Build()).ToString()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(info) {
		for _, name := range []string{"ft.search", "ft.aggregate", "json.get", "json.mget"} {
			var calls int
			if rest, ok := strings.CutPrefix(strings.ToLower(line), "cmdstat_"+name+":calls="); ok {
				fmt.Sscan(rest, &calls)
				n += calls
			}
		}
	}
	return n
}

// processorTime is what this process has taken so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestSocketAttacks: WebSockets that are held open or flooded end or are refused
// in time, cost little, and Redis hears nothing of what is refused.
func TestSocketAttacks(t *testing.T) {
	l := startPiped(t, nil)
	l.sendAndWait(3)
	redis := redisOf(t, l.data)
	for _, tt := range []struct {
		name string
		wall time.Duration // with all that it waits for by rule
		cpu  time.Duration // of the service and the attacker, also under the race detector
		run  func(t *testing.T, l *piped)
	}{
		{"100 silent sockets", 15 * time.Second, 5 * time.Second, silentSockets},
		{"a hundred early pongs and no reader", 20 * time.Second, 5 * time.Second, earlyPongs},
		{"200 subscribes on one id", 10 * time.Second, 5 * time.Second, oneID},
		{"5,000 subscribes", 20 * time.Second, 10 * time.Second, subscribeFlood},
		{"500 junk frames", 20 * time.Second, 10 * time.Second, junkFrames},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked, used, began := searches(t, redis), processorTime(t), time.Now()
			tt.run(t, l)
			wall, cpu, asked := time.Since(began), processorTime(t)-used, searches(t, redis)-asked
			t.Logf("%v, of the processor %v, %d searches", wall, cpu, asked)
			if wall > tt.wall || cpu > tt.cpu {
				t.Errorf("took %v and %v of the processor, want %v and %v", wall, cpu, tt.wall, tt.cpu)
			}
			if asked > 0 {
				t.Errorf("Redis was asked %d times", asked)
			}
		})
	}
	if told := ask[struct{ Tweets struct{ TotalCount int } }](l.line, `{tweets{totalCount}}`, nil); told.Tweets.TotalCount != 3 {
		t.Errorf("afterwards %d tweets, want 3", told.Tweets.TotalCount)
	}
}

// silentSockets: who says nothing is closed with 4408 after 3 s.
func silentSockets(t *testing.T, l *piped) {
	conns := make([]*websocket.Conn, 100)
	for i := range conns {
		conn, _, err := websocket.Dial(t.Context(), l.url, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		conns[i] = conn
	}
	for _, conn := range conns {
		closedWith(t, conn, 4408)
	}
}

// closedWith reads until a socket is closed.
func closedWith(t *testing.T, conn *websocket.Conn, want websocket.StatusCode) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			if got := websocket.CloseStatus(err); got != want {
				t.Errorf("closed with %d (%v), want %d", got, err, want)
			}
			return
		}
	}
}

// earlyPongs: pongs that nobody asked for are no sign of a reader. The server
// has hung up within 10 s, which the client learns from a write that fails.
func earlyPongs(t *testing.T, l *piped) {
	address, err := url.Parse(l.url)
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	for range 100 {
		conn, err := net.Dial("tcp", address.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
			"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n", address.Path)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("%v %v", resp, err)
		}
		writeFrame(conn, 1, `{"type":"connection_init"}`)
		writeFrame(conn, 1, `{"id":"1","type":"subscribe","payload":{"query":"subscription{tweetAdded{id}}"}}`)
		writeFrame(conn, 10, "")
		conns = append(conns, conn)
	}
	for began := time.Now(); len(conns) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > 15*time.Second {
			t.Fatalf("%d that never read are still connected after 15 s", len(conns))
		}
		conns = slices.DeleteFunc(conns, func(conn net.Conn) bool { return writeFrame(conn, 10, "") != nil })
	}
}

// writeFrame writes a frame of a client, masked with zeros.
func writeFrame(w io.Writer, opcode byte, text string) error {
	frame := []byte{0x80 | opcode, 0x80 | byte(len(text)), 0, 0, 0, 0}
	if len(text) > 125 {
		frame = []byte{0x80 | opcode, 0x80 | 126, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}
	}
	_, err := w.Write(append(frame, text...))
	return err
}

// oneID: a second operation under an id in use closes the socket with 4409.
func oneID(t *testing.T, l *piped) {
	conn, err := openSocket(t.Context(), l.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for range 200 {
		if sayFollow(t.Context(), conn, "1") != nil {
			break // it is closed already
		}
	}
	closedWith(t, conn, 4409)
}

func sayFollow(ctx context.Context, conn *websocket.Conn, id string) error {
	return wsjson.Write(ctx, conn, map[string]any{"type": "subscribe", "id": id, "payload": map[string]any{"query": followed}})
}

// subscribeFlood: a socket has 32 operations, all others are refused and the
// socket goes on.
func subscribeFlood(t *testing.T, l *piped) {
	conn, err := openSocket(t.Context(), l.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	const n, held = 5_000, 32
	said := make(chan error, 1)
	go func() {
		for i := range n {
			if err := sayFollow(t.Context(), conn, fmt.Sprint(i)); err != nil {
				said <- err
				return
			}
		}
		said <- nil
	}()
	for i := range n - held {
		var m struct{ Type, ID string }
		if err := wsjson.Read(t.Context(), conn, &m); err != nil || m.Type != "error" {
			t.Fatalf("answer %d is %+v %v, want that the operation is refused", i, m, err)
		}
	}
	if err := <-said; err != nil {
		t.Fatal(err)
	}
}

// junkFrames: what is no message closes the socket with 4400 at the first.
func junkFrames(t *testing.T, l *piped) {
	for i := range 500 {
		conn, err := openSocket(t.Context(), l.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		junk := []string{`{`, `[]`, "\x00", `{"type":5}`, strings.Repeat(`{"a":`, 6_000)}[i%5]
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(junk)); err != nil {
			t.Fatal(err)
		}
		closedWith(t, conn, 4400)
		conn.CloseNow()
	}
}
