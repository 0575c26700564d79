package ingest

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/internal/stack"
	"visualizer/schema"
)

// follower reads what was stored from the broker.
type follower struct {
	mu      sync.Mutex
	ids     []string
	entries int // repeats included
	numbers map[uint64]bool
	gaps    int
}

// follow opens what a service opens at its start, and reads from there.
func (s *servers) follow() (*follower, jetstream.JetStream) {
	s.t.Helper()
	url, opts, _ := stack.RunningNATS(s.data)
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, _, err := ensureStreams(s.t.Context(), js); err != nil {
		s.t.Fatal(err)
	}
	consumer, err := js.OrderedConsumer(s.t.Context(), schema.StreamStored, jetstream.OrderedConsumerConfig{})
	if err != nil {
		s.t.Fatal(err)
	}
	f := &follower{numbers: map[uint64]bool{}}
	var reader schema.StoredReader
	consuming, err := consumer.Consume(func(msg jetstream.Msg) {
		var m schema.Stored
		if err := schema.Decode(msg.Data(), &m); err != nil {
			panic(err)
		}
		ids, err := reader.Next(m)
		f.mu.Lock()
		defer f.mu.Unlock()
		if err != nil {
			f.gaps++
		}
		f.ids = append(f.ids, ids...)
		for _, e := range m.Entries {
			f.entries++
			f.numbers[e.Number] = true
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { consuming.Stop(); <-consuming.Closed() })
	return f, js
}

func (f *follower) told() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.ids)
}

// check compares what was told with the ids in the order they were published:
// each once. With one writer those of a lane are stored, and told, in that order.
func (f *follower) check(t *testing.T, want []string, writers int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gaps > 0 {
		t.Errorf("%d gaps", f.gaps)
	}
	lanes := func(ids []string) (lanes [schema.Lanes][]string) {
		for _, id := range ids {
			n := touch(id).lane(schema.Lanes)
			lanes[n] = append(lanes[n], id)
		}
		return lanes
	}
	got, wanted := lanes(f.ids), lanes(want)
	for n := range got {
		if writers > 1 {
			slices.Sort(got[n])
			slices.Sort(wanted[n])
		}
		if !slices.Equal(got[n], wanted[n]) {
			t.Errorf("lane %d: told %d ids, want %d, or another order", n, len(got[n]), len(wanted[n]))
		}
	}
}

func (s *servers) outbox() int64 {
	s.t.Helper()
	n, err := s.redis.Do(s.t.Context(), s.redis.B().Xlen().Key(schema.OutboxKey).Build()).AsInt64()
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// TestStored: what is stored for the first time in its own right is told once,
// in order, and nothing else is; the outbox is empty then.
func TestStored(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	f, _ := s.follow()
	a := s.child("a")
	s.eventually("a reads", func() bool { return s.up.reads("a") })
	b := s.child("b") // it stores and tells as well
	want := s.up.send(1000)
	s.settled(1000)
	for i, id := range want[:100] { // updates, duplicates, deletes
		s.up.sendTo("a", id, i%3)
		if i%10 == 0 {
			s.up.say("a", fmt.Sprintf(`{"delete":{"status":{"id":%s,"id_str":%q,"user_id":1,"user_id_str":"1"}}}`, id, id))
		}
	}
	// One beside another is told of when it arrives in its own right.
	s.up.say("a", `{"data":{"id":"7001","text":"t","referenced_tweets":[{"type":"quoted","id":"7000"}]},"includes":{"tweets":[{"id":"7000","text":"r"}]}}`)
	s.up.sendTo("a", want[0], 5) // deleted
	want = append(want, "7001")
	s.eventually("7001 is told", func() bool { return f.told() == len(want) })
	s.up.sendTo("a", "7000", 1)
	want = append(want, "7000")
	want = append(want, s.up.send(1000)...)
	s.eventually("all is told", func() bool { return f.told() >= len(want) })
	for _, cmd := range []int{a.Process.Pid, b.Process.Pid} {
		s.signal(cmd, syscall.SIGTERM)
	}
	a.Wait()
	b.Wait()
	f.check(t, want, 2)
	if n := s.outbox(); n > 0 {
		t.Errorf("%d entries are left in the outbox", n)
	}
}

// TestStoredAfterCrash kills a writer between storing tweets and telling of
// them, and another between telling and removing the entries: both are told
// once.
func TestStoredAfterCrash(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	f, js := s.follow()
	a := s.child("a")
	s.eventually("a reads", func() bool { return s.up.reads("a") })
	want := s.up.send(100)
	s.eventually("the first are told", func() bool { return f.told() == len(want) })

	// The broker refuses what is told, so that the kill comes in between.
	stream, err := js.Stream(t.Context(), schema.StreamStored)
	if err != nil {
		t.Fatal(err)
	}
	refusing := stream.CachedInfo().Config
	refusing.MaxMsgSize = 1
	if _, err := js.UpdateStream(t.Context(), refusing); err != nil {
		t.Fatal(err)
	}
	want = append(want, s.up.send(300)...)
	s.settled(400)
	s.signal(a.Process.Pid, syscall.SIGKILL)
	a.Wait()
	if left := s.outbox(); left == 0 || f.told() != 100 {
		t.Fatalf("the fault did not happen: %d entries are left, %d ids told", left, f.told())
	}

	// The next service makes the stream as it is to be; it can't trim.
	if err := s.redis.Do(t.Context(), s.redis.B().AclSetuser().Username("default").Rule("-xtrim").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	b := s.child("b")
	s.eventually("those that were stored are told", func() bool { return f.told() == len(want) })
	s.eventually("b reads", func() bool { return s.up.reads("b") })
	want = append(want, s.up.send(300)...)
	s.eventually("all is told", func() bool { return f.told() == len(want) })
	s.signal(b.Process.Pid, syscall.SIGKILL)
	b.Wait()
	if s.outbox() == 0 {
		t.Fatal("the fault did not happen: the outbox is empty")
	}
	if err := s.redis.Do(t.Context(), s.redis.B().AclSetuser().Username("default").Rule("+xtrim").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	s.child("c")
	s.eventually("the outbox is empty", func() bool { return s.outbox() == 0 })
	s.eventually("c reads", func() bool { return s.up.reads("c") })
	want = append(want, s.up.send(100)...)
	s.eventually("the last are told", func() bool { return f.told() >= len(want) })
	f.check(t, want, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.entries == len(f.numbers) {
		t.Error("no entry was repeated: the test shows nothing")
	}
	if n := strconv.Itoa(len(f.numbers)); f.numbers[0] || !f.numbers[uint64(len(f.numbers))] {
		t.Errorf("%s entries, and their numbers are not 1 to %s", n, n)
	}
}
