package ingest

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"visualizer/ingest/source"
	"visualizer/internal/stack"
	"visualizer/schema"
)

// oneTweet is a source of one tweet.
type oneTweet struct{}

func (oneTweet) Name() string { return "one" }

func (oneTweet) Events(context.Context) iter.Seq2[schema.Event, error] {
	return func(yield func(schema.Event, error) bool) {
		yield(schema.Event{Kind: schema.KindTweet, Tweet: &schema.Tweet{ID: "1", RawText: "t", Text: "t"}}, nil)
	}
}

// deaf dials NATS. While it is on, nothing that the server says arrives.
type deaf struct {
	dialer nats.CustomDialer
	on     atomic.Bool
	mu     sync.Mutex
	last   net.Conn
}

func (d *deaf) Dial(network, address string) (net.Conn, error) {
	conn, err := d.dialer.Dial(network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = conn
	return &deafConn{conn, d}, nil
}

func (d *deaf) hangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last.Close()
}

type deafConn struct {
	net.Conn
	deaf *deaf
}

func (c *deafConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.deaf.on.Load() {
			return n, err
		}
	}
}

// TestLostAck: a message whose ack is lost is sent again, and is on the stream,
// and counted, once.
func TestLostAck(t *testing.T) {
	s := startServers(t)
	url, opts, _ := stack.RunningNATS(s.data)
	var read nats.Options
	for _, o := range opts {
		if err := o(&read); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	ears := &deaf{dialer: read.CustomDialer}
	service, err := New(t.Context(), Config{
		Sources: []source.Source{oneTweet{}}, RedisURL: s.url, NATSURL: url, NATSOptions: []nats.Option{nats.SetCustomDialer(ears)},
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(), Summary: io.Discard,
		Published: func(_ []byte, acked bool) {
			if !acked {
				ears.on.Store(true)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	ended := make(chan error, 1)
	go func() { ended <- service.Run(t.Context()) }()
	last := func() uint64 {
		stream, err := js.Stream(t.Context(), schema.StreamTweets)
		if err != nil {
			t.Fatal(err)
		}
		return stream.CachedInfo().State.LastSeq
	}
	eventually(t, "the message is on the stream", func() bool { return last() == 1 })
	ears.hangUp()
	ears.on.Store(false)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := last(); n != 1 {
		t.Errorf("the message is on the stream %d times", n)
	}
	if status := s.status(); status.Received != 1 || status.Stored != 1 {
		t.Errorf("the tweet is counted as %+v", status)
	}
}
