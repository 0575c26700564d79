package ingest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// TestSettle: a message is acked only when the server process that has synced
// is the one that executed all of it. What another had executed comes again.
func TestSettle(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	servers := stacktest.Start(t)
	redis := stacktest.Redis(t, servers)
	url, opts := servers.NATS()
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	consumer, _, err := ensureStreams(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	w := &Writer{js: js, consumer: consumer, all: &lane{client: redis}, fence: &fence{client: redis, log: log}, log: log, metrics: newMetrics(prometheus.NewRegistry())}
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
		msg, err := consumer.Next()
		if err != nil {
			t.Fatal(err)
		}
		held := newHeld()
		m := w.open(msg)
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
	first, second := &message{sequence: 5}, &message{sequence: 5}
	if !held.add(first) || held.add(second) {
		t.Error("the second delivery was taken")
	}
	held.drop([]*message{first})
	if !held.add(second) {
		t.Error("a delivery after the ack was refused")
	}
}
