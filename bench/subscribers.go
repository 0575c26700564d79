package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"visualizer/bench/report"
	"visualizer/internal/dial"
	"visualizer/internal/stack"
	"visualizer/query"
	"visualizer/query/server"
	"visualizer/schema"
)

const (
	// idleSubscribers are open at the same time.
	idleSubscribers = 1_000
	// openingAtOnce are those that are being opened.
	openingAtOnce = 16
	// openTime bounds the opening of one. All must be open before the first is
	// asked for a sign of life, which it gives none of.
	openTime = 4 * time.Second
)

// benchSubscribers asks what those cost who subscribe to new tweets and are told
// of none: each one's part of the service's heap and stacks. The clients are in
// this process too, without a goroutine or buffer of their own, and count as the
// little they are.
func benchSubscribers(ctx context.Context, s *session) error {
	svc, err := s.startFeed(ctx)
	if err != nil {
		return err
	}
	defer svc.close()
	for _, kind := range []struct {
		name string
		open func(context.Context, net.Conn, string) error
	}{{"WebSockets", openSocket}, {"event streams", openEvents}} {
		if err := s.pair(ctx, report.Pair{
			Target: "B9", Question: fmt.Sprintf("%s subscribers by %s that are told nothing: memory of each", report.Count(idleSubscribers), kind.name), Unit: "kB",
			A: report.Side{Name: "heap and stacks", Measure: func(ctx context.Context) (report.Reading, error) {
				bytes, err := svc.memoryOf(ctx, idleSubscribers, kind.open)
				return report.Reading{Value: bytes / 1000}, err
			}},
			Answer: report.Alone, Limit: report.AtMost(48), Rounds: s.rounds,
		}); err != nil {
			return err
		}
	}
	return nil
}

// feedService is a query service in this process that can be subscribed to.
type feedService struct {
	addr  string
	close func()
}

func (s *session) startFeed(ctx context.Context) (_ *feedService, err error) {
	dir, err := os.MkdirTemp("", "visualizer-bench-")
	if err != nil {
		return nil, err
	}
	s.folders = append(s.folders, dir)
	servers, err := stack.Start(ctx, stack.Config{Data: dir, Log: s.quiet(), Progress: os.Stderr})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, servers.Close())
		}
	}()
	if err := makeStored(ctx, servers); err != nil {
		return nil, err
	}
	natsURL, options := servers.NATS()
	q, err := query.New(ctx, query.Config{
		RedisURL: servers.RedisURL(), NATSURL: natsURL, NATSOptions: options,
		Deadline: openTime, Log: s.quiet(), Metrics: prometheus.NewRegistry(),
	})
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		q.Close()
		return nil, err
	}
	serving, stop := context.WithCancel(ctx)
	var g errgroup.Group
	g.Go(func() error { return q.Serve(serving, ln) })
	f := &feedService{addr: ln.Addr().String(), close: func() {
		stop()
		_ = g.Wait() // it was told to
		q.Close()
		_ = servers.Close()
	}}
	if err := until(ctx, q.FeedReady); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// makeStored makes the stream that ingest would tell of what it stored.
func makeStored(ctx context.Context, servers *stack.Stack) error {
	natsURL, options := servers.NATS()
	conn, err := dial.NATS(ctx, natsURL, "visualizer-bench", options...)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err == nil {
		_, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: schema.StreamStored, Subjects: []string{schema.SubjectStored}, Storage: jetstream.MemoryStorage})
	}
	return err
}

// until returns when ready does not fail any more.
func until(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// memoryOf opens n subscriptions and returns by how many bytes the heap and the
// stacks grow for each.
func (f *feedService) memoryOf(ctx context.Context, n int, open func(context.Context, net.Conn, string) error) (float64, error) {
	conns := make([]net.Conn, n)
	defer func() {
		for _, c := range conns {
			if c != nil {
				c.Close()
			}
		}
	}()
	before := heapAndStacks()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(openingAtOnce)
	for i := range conns {
		g.Go(func() (err error) {
			if conns[i], err = net.Dial("tcp", f.addr); err != nil {
				return err
			}
			if err = conns[i].SetDeadline(time.Now().Add(openTime)); err != nil {
				return err
			}
			return open(ctx, conns[i], f.addr)
		})
	}
	if err := g.Wait(); err != nil {
		return 0, fmt.Errorf("subscribe %d times: %w", n, err)
	}
	return (heapAndStacks() - before) / float64(n), nil
}

// heapAndStacks is what the heap and the stacks of this process take, in bytes.
func heapAndStacks() float64 {
	runtime.GC()
	runtime.GC() // what the first has found to be unused is swept by now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse + m.StackInuse)
}

const idleQuery = `subscription { tweetAdded(filter: {hashtags: ["bench"]}) { id text createdAt author { username } hashtags } }`

// openEvents subscribes by server-sent events. The head of the answer says that
// the subscription has begun.
func openEvents(_ context.Context, conn net.Conn, host string) error {
	fmt.Fprintf(conn, "GET %s?%s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", server.PathGraphQL, url.Values{"query": {idleQuery}}.Encode(), host)
	return head(bufio.NewReader(conn), http.StatusOK)
}

// openSocket subscribes over a WebSocket, and returns with the answer to a ping.
func openSocket(_ context.Context, conn net.Conn, host string) error {
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n", server.PathGraphQL, host)
	answer := bufio.NewReader(conn)
	if err := head(answer, http.StatusSwitchingProtocols); err != nil {
		return err
	}
	for _, text := range []string{
		`{"type":"connection_init"}`,
		fmt.Sprintf(`{"type":"subscribe","id":"1","payload":{"query":%q}}`, idleQuery),
		`{"type":"ping"}`,
	} {
		if _, err := conn.Write(frame(text)); err != nil {
			return err
		}
	}
	for {
		text, err := readFrame(answer)
		switch {
		case err != nil:
			return err
		case strings.Contains(text, `"pong"`):
			return nil
		case strings.Contains(text, `"error"`):
			return errors.New(text)
		}
	}
}

// head reads the head of an answer.
func head(answer *bufio.Reader, status int) error {
	resp, err := http.ReadResponse(answer, nil)
	if err != nil {
		return err
	}
	if resp.StatusCode != status {
		return fmt.Errorf("subscribe: %s", resp.Status)
	}
	return nil
}

// frame is a text of a client as RFC 6455 has it, masked with zeros. It is for
// up to 64 KiB.
func frame(text string) []byte {
	const final, kindText, masked, longer = 0x80, 1, 0x80, 126
	return append(binary.BigEndian.AppendUint16([]byte{final | kindText, masked | longer}, uint16(len(text))), "\x00\x00\x00\x00"+text...)
}

// readFrame reads a short text of a server.
func readFrame(from *bufio.Reader) (string, error) {
	var start [2]byte
	if _, err := io.ReadFull(from, start[:]); err != nil {
		return "", err
	}
	size := int(start[1])
	if size == 126 {
		var long [2]byte
		if _, err := io.ReadFull(from, long[:]); err != nil {
			return "", err
		}
		size = int(binary.BigEndian.Uint16(long[:]))
	}
	text := make([]byte, size)
	_, err := io.ReadFull(from, text)
	return string(text), err
}
