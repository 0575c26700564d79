package ingest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"

	"visualizer/internal/dial"
	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// bench is a stream and a writer whose steps a test takes one by one.
type bench struct {
	ctx      context.Context
	redis    rueidis.Client
	js       jetstream.JetStream
	consumer jetstream.Consumer
	w        *Writer
}

func newBench(t *testing.T) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	servers := stacktest.Start(t)
	redis := stacktest.Redis(t, servers)
	url, opts := servers.NATS()
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	consumer, _, err := ensureStreams(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{ctx: ctx, redis: redis, js: js, consumer: consumer, w: benchWriter(redis, js, consumer)}
}

// benchWriter returns a writer as a service has one.
func benchWriter(redis rueidis.Client, js jetstream.JetStream, consumer jetstream.Consumer) *Writer {
	log := slog.New(slog.DiscardHandler)
	return newWriter(&Service{
		redis: &dial.RedisClient{Client: redis}, js: js, consumer: consumer, run: "run",
		tally: newTally(redis, "bench", "", log), metrics: newMetrics(prometheus.NewRegistry()), cfg: Config{Log: log},
	}, nil)
}

// next returns the next delivery, opened.
func (b *bench) next(t *testing.T, w *Writer) *message {
	t.Helper()
	msg, err := b.consumer.Next()
	if err != nil {
		t.Fatal(err)
	}
	return w.open(msg)
}

// TestSettle: a message is acked only when the server process that has synced
// is the one that executed all of it. What another had executed comes again.
func TestSettle(t *testing.T) {
	b := newBench(t)
	ctx, js, consumer, w := b.ctx, b.js, b.consumer, b.w
	present, err := w.fence.pass(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		processes []string
		again     bool
	}{
		{"executed by the process that synced", []string{present}, false},
		{"executed by one that died", []string{"dead"}, true},
		{"executed by both", []string{"dead", present}, true},
	} {
		if _, err := js.Publish(ctx, schema.SubjectTweets, schema.EncodeBatch("run", 1, nil)); err != nil {
			t.Fatal(err)
		}
		held := newHeld()
		m := b.next(t, w)
		held.add(m)
		for _, p := range c.processes {
			m.executed("part", p)
		}
		held.stored(m)
		if err := w.settle(ctx, held, held.take()); err != nil {
			t.Fatal(err)
		}
		redelivered, err := consumer.Next(jetstream.FetchMaxWait(time.Second))
		if again := err == nil; again != c.again {
			t.Errorf("%s: it came again %v, want %v (%v)", c.name, again, c.again, err)
		}
		if redelivered != nil {
			if err := redelivered.DoubleAck(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestHeldTwice: a message that is delivered a second time while it is held is
// not taken a second time, and the newest delivery is the one that is acked.
func TestHeldTwice(t *testing.T) {
	held := newHeld()
	first, second := &message{of: delivery{sequence: 5}}, &message{of: delivery{sequence: 5}}
	if !held.add(first) || held.add(second) {
		t.Error("the second delivery was taken")
	}
	held.drop([]*message{first})
	if !held.add(second) {
		t.Error("a delivery after the ack was refused")
	}
}
