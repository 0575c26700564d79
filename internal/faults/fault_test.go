package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/schema"
)

// TestFaults kills, pauses and cuts off two ingest services and their servers
// while a stream goes on, with resends, deletes and garbage in it, has old
// observations stored in between and messages published again that JetStream
// does not know any more. In the end each tweet is there once, as the stream
// told it last.
func TestFaults(t *testing.T) {
	rounds := 1
	if *long {
		rounds = 10
	}
	f := newFeed(t, liveRate, mostBehind)
	began := time.Now()
	r := newRig(t, f)
	h := &hurting{rig: r, t: t, fired: fired{}}
	h.services = []*service{r.ingest("first"), r.ingest("second")}
	eventually(t, "both services are alive", func() bool { return r.services() == 2 })
	h.fired["services at once"] = r.services()
	told := r.follow()
	record := r.record()

	// As long as no server is killed, each new tweet is told once, without a gap.
	for range rounds {
		h.killReader()
		h.pauseReader()
		r.confirm()
		h.cut()
		h.killOther()
		r.confirm()
	}
	h.pauseServers()
	h.storeOld()
	told.checkBefore(t, r)
	h.publishAgain(record)
	for i := range rounds {
		h.killRedis()
		h.cut()
		if i%2 == 0 {
			h.killNATS()
			told.again()
		}
		r.confirm() // the old ones would wait for all that is sent again
		h.storeOld()
		r.confirm()
	}
	last := told.mark(r)
	h.killOther()
	h.killReader()
	h.t.Logf("fired:%v", h.fired)
	h.checkRate(time.Since(began))
	r.settle(h.services[0])
	r.check()
	told.check(t, r, last)
	h.checkFired(rounds)
}

// mostBehind is far more than any fault of TestFaults takes. A line that is further
// behind has too slow a machine; it is then given time, so that all faults are met,
// and the rate is told in the end.
const mostBehind = 20 * time.Second

// checkRate: in its long form, which has the machine to itself, the test shows that
// the faults are borne while the feed goes on.
func (h *hurting) checkRate(took time.Duration) {
	h.t.Helper()
	h.feed.mu.Lock()
	defer h.feed.mu.Unlock()
	rate := float64(h.feed.tweets+h.feed.truth.Resent) / took.Seconds()
	h.t.Logf("%.0f tweets/s for %v, none for %v since the line was behind", rate, took.Round(time.Second), h.feed.held.Round(time.Second))
	if *long && rate < liveRate {
		h.t.Errorf("the machine is too busy: %.0f tweets/s, want %d", rate, liveRate)
	}
}

// hurting does what a fault test does to a rig, and counts it.
type hurting struct {
	*rig
	t        *testing.T
	services []*service
	fired    fired
}

// reader is the service that reads, and the other one.
func (h *hurting) reader() (reader, other *service) {
	h.t.Helper()
	eventually(h.t, "a service reads", func() bool { return h.feed.who() != "" })
	if h.feed.who() == "token-of-first" {
		return h.services[0], h.services[1]
	}
	return h.services[1], h.services[0]
}

// goOn returns when tweets are stored again and a random moment has passed.
func (h *hurting) goOn() {
	h.t.Helper()
	stored := func() string { return h.info("commandstats", "cmdstat_json.set") }
	before := stored()
	eventually(h.t, "tweets are stored", func() bool { now := stored(); return now != "" && now != before })
	time.Sleep(time.Duration(rand.IntN(700)) * time.Millisecond)
}

// killReader ends the service that reads, in the middle of it. Within 10 s
// another reads.
func (h *hurting) killReader() {
	reader, _ := h.reader()
	h.feed.forgetReader()
	began := time.Now()
	reader.kill(false)
	eventually(h.t, "another service reads", func() bool { return h.feed.who() != "" })
	if took := time.Since(began); took > 10*time.Second {
		h.t.Errorf("it took %v until another service read", took)
	}
	h.fired["ingest killed"]++
	h.goOn()
}

func (h *hurting) killOther() {
	_, other := h.reader()
	other.kill(false)
	h.fired["ingest killed"]++
	h.goOn()
}

// pauseReader has the service that reads stand still until another reads, and go
// on then.
func (h *hurting) pauseReader() {
	reader, _ := h.reader()
	pid := reader.pid()
	h.feed.forgetReader()
	done := make(chan struct{})
	go func() { defer close(done); h.pause(pid, 7*time.Second) }()
	<-done
	eventually(h.t, "a service reads", func() bool { return h.feed.who() != "" })
	h.fired["ingest paused"]++
	h.goOn()
}

// cut ends connections of all kinds at once.
func (h *hurting) cut() {
	h.fired["redis connections cut"] += h.redisProxy.cut()
	h.fired["nats connections cut"] += h.natsProxy.cut()
	if h.feed.cut() {
		h.fired["stream connections cut"]++
	}
	h.goOn()
}

func (h *hurting) pauseServers() {
	h.pause(h.redisPID(), 2*time.Second)
	h.fired["redis paused"]++
	h.goOn()
	h.pause(h.nats.pid(), 2*time.Second)
	h.fired["nats paused"]++
	h.goOn()
}

func (h *hurting) killRedis() {
	h.rig.killRedis()
	h.fired["redis killed"]++
	h.goOn()
}

func (h *hurting) killNATS() {
	h.nats.kill(true)
	time.Sleep(time.Second) // how long is what the fault is
	h.nats.letGo()
	h.fired["nats killed"]++
	h.goOn()
}

// storeOld reads a file of old observations, shuffled, with a third service,
// which ends when they are stored.
func (h *hurting) storeOld() {
	h.t.Helper()
	lines, tweets := h.feed.observedBefore()
	name := filepath.Join(h.t.TempDir(), "old.jsonl")
	if err := os.WriteFile(name, []byte(lines), 0o600); err != nil {
		h.t.Fatal(err)
	}
	cmd := h.command("--source", name, "--ops-listen", "127.0.0.1:0")
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			h.t.Errorf("store old observations: %v", err)
		}
	case <-time.After(patience):
		cmd.Process.Kill()
		<-done
		h.t.Fatal("old observations are not stored")
	}
	h.fired["old observations"] += tweets
}

// recording is what was on the stream once.
type recording struct {
	mu       sync.Mutex
	messages []*nats.Msg
}

const recorded = 200

// record keeps some messages as they are published.
func (r *rig) record() *recording {
	rec := &recording{}
	sub, err := r.conn.Subscribe(schema.SubjectTweets, func(m *nats.Msg) {
		rec.mu.Lock()
		defer rec.mu.Unlock()
		if len(rec.messages) < recorded {
			rec.messages = append(rec.messages, m)
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { sub.Unsubscribe() })
	return rec
}

// publishAgain publishes messages that JetStream has known and knows no more, as
// the window for that is over.
func (h *hurting) publishAgain(rec *recording) {
	h.t.Helper()
	stream, err := h.js.Stream(h.t.Context(), schema.StreamTweets)
	if err != nil {
		h.t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	cfg.Duplicates = 100 * time.Millisecond
	if _, err := h.js.UpdateStream(h.t.Context(), cfg); err != nil {
		h.t.Fatal(err)
	}
	rec.mu.Lock()
	messages := rec.messages
	rec.mu.Unlock()
	eventually(h.t, "the window is over", func() bool {
		ack, err := h.js.PublishMsg(h.t.Context(), again(messages[0]))
		return err == nil && !ack.Duplicate
	})
	for _, m := range messages[1:] {
		ack, err := h.js.PublishMsg(h.t.Context(), again(m))
		if err != nil {
			h.t.Fatal(err)
		}
		if !ack.Duplicate {
			h.fired["published again"]++
		}
	}
}

// again is a message as its publisher sent it.
func again(m *nats.Msg) *nats.Msg {
	msg := nats.NewMsg(m.Subject)
	msg.Data = m.Data
	msg.Header.Set(jetstream.MsgIDHeader, m.Header.Get(jetstream.MsgIDHeader))
	return msg
}

// checkFired: each kind of fault has happened as often as it should.
func (h *hurting) checkFired(rounds int) {
	h.t.Helper()
	least := fired{
		"services at once": 2, "ingest killed": 2*rounds + 2, "ingest paused": rounds, "redis killed": rounds, "nats killed": (rounds + 1) / 2,
		"redis paused": 1, "nats paused": 1, "redis connections cut": 2 * rounds, "nats connections cut": 2 * rounds, "stream connections cut": rounds,
		"old observations": 100, "published again": recorded / 2,
		"resent": h.feed.tweets / 6, "deletes": h.feed.tweets / 200, "garbage": h.feed.tweets / 1000, "sent again": 1000,
	}
	h.fired["resent"], h.fired["deletes"], h.fired["garbage"] = h.feed.truth.Resent, h.feed.truth.Deletes, h.feed.truth.Garbage
	h.fired["sent again"] = h.feed.repeats
	for name, n := range least {
		if h.fired[name] < n {
			h.t.Errorf("%s: %d, want %d at least: the test shows too little", name, h.fired[name], n)
		}
	}
	h.t.Log(fmt.Sprint("faults:", h.fired))
}
