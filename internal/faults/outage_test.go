package faults

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"visualizer/schema"
)

const (
	// liveRate is the tweets a second that go on through everything; with
	// resends it is a fifth more.
	liveRate = 700
	// redWithin is how soon /readyz must tell of an outage; redAtMost, where
	// other tests have the machine too.
	redWithin = 5 * time.Second
	redAtMost = 20 * time.Second
	// mostMemory bounds ingest, whatever is away.
	mostMemory = 400 << 20
)

// outage is a fault that lasts.
type outage struct {
	name string
	want string // what /readyz must say, "" for one that need not show
	// begin starts it and returns what ends it.
	begin func(*rig) (end func())
	lasts time.Duration
}

func outages() []outage {
	lasts, pause := 3*time.Second, 6*time.Second
	if *long {
		lasts, pause = 15*time.Second, 60*time.Second
	}
	return []outage{
		{"redis is killed and loads", "redis: it loads what is stored", (*rig).loading, 0},
		{"redis is paused", "redis: no answer", (*rig).pausedRedis, pause},
		{"redis is out of memory", "used memory > 'maxmemory'", (*rig).fullRedis, lasts},
		{"redis can't write to its disk", "MISCONF", (*rig).brokenDisk, lasts},
		{"nats is killed", "nats: not connected", (*rig).killedNATS, lasts},
		{"nats is paused", "nats: no answer", (*rig).pausedNATS, lasts},
		{"nats is full", "nats: publish: nats: nats: API error: code=503 err_code=10077 description=maximum bytes exceeded", (*rig).fullNATS, lasts},
		{"connections are cut", "", (*rig).cutting, lasts},
	}
}

// TestOutages takes each server away in each of its ways, under a live reader:
// /readyz says so in time and why, all recovers by itself and catches up, memory
// stays bounded, and in the end nothing is lost, doubled or out of date.
func TestOutages(t *testing.T) {
	f := newFeed(t, liveRate, time.Hour)
	r := newRig(t, f)
	s := r.ingest("a")
	if _, ok := s.metric("visualizer_ingest_lag_seconds"); !ok {
		t.Fatal("there is no metric of the lag")
	}
	eventually(t, "tweets are stored", func() bool { n, _ := s.metric("visualizer_ingest_written_tweets_total"); return n > liveRate })
	for _, o := range outages() {
		t.Run(strings.ReplaceAll(o.name, " ", "_"), func(t *testing.T) { r.suffer(t, s, o) })
	}
	r.settle(s)
	r.check()
	if n := s.kills() + s.ended; n > 0 {
		t.Errorf("ingest ended %d times", n)
	}
	t.Logf("ingest had %d MB at most", s.memory()>>20)
}

func (r *rig) suffer(t *testing.T, s *service, o outage) {
	began := time.Now()
	end := o.begin(r)
	if o.want != "" {
		limit := redAtMost
		if *long {
			limit = redWithin
		}
		red := ""
		for red = s.ready(); !strings.Contains(red, o.want); red = s.ready() {
			if time.Since(began) > limit {
				t.Errorf("after %v /readyz says %q, want %q in it", limit, red, o.want)
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Logf("red after %v: %s", time.Since(began).Round(time.Millisecond), red)
	}
	time.Sleep(time.Until(began.Add(o.lasts))) // how long is what the fault is
	end()
	ended := time.Now()
	eventually(t, "it is ready again", func() bool { return s.ready() == "" })
	t.Logf("ready %v after its end", time.Since(ended).Round(time.Millisecond))
	r.catchUp(t, s)
	r.confirm()
	if most := s.memory(); most > mostMemory {
		t.Errorf("ingest has had %d MB", most>>20)
	}
}

// catchUp measures how fast what has come together is stored.
func (r *rig) catchUp(t *testing.T, s *service) {
	t.Helper()
	written := func() float64 { n, _ := s.metric("visualizer_ingest_written_tweets_total"); return n }
	began, before := time.Now(), written()
	peak := 0.0
	eventually(t, "it has caught up", func() bool {
		lag, _ := s.metric("visualizer_ingest_lag_seconds")
		peak = max(peak, lag)
		return lag < 2.2 // of which the sync to disk is over one
	})
	took, n := time.Since(began).Seconds(), written()-before
	t.Logf("caught up in %.1f s from a lag of %.1f s: %.0f tweets/s", took, peak, n/took)
	// How fast that is depends on what else the machine does; only alone it is
	// a promise.
	if *long && took > 2 && n/took < 2*liveRate {
		t.Errorf("it catches up at %.0f tweets/s, want %d", n/took, 2*liveRate)
	}
}

func (r *rig) redisConf() string { return filepath.Join(r.data, "r", "redis", "redis.conf") }

// loading kills redis-server; the next takes its time to load.
func (r *rig) loading() (end func()) {
	conf, err := os.ReadFile(r.redisConf())
	if err != nil {
		r.t.Fatal(err)
	}
	keys, err := r.redis.Do(r.t.Context(), r.redis.B().Dbsize().Build()).AsInt64()
	if err != nil {
		r.t.Fatal(err)
	}
	delay := 4_000_000 / keys // μs, for about 4 s
	slow := string(conf) + "enable-debug-command yes\nkey-load-delay " + strconv.FormatInt(delay, 10) + "\nloading-process-events-interval-bytes 4096\n"
	if err := os.WriteFile(r.redisConf(), []byte(slow), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.do("BGREWRITEAOF") // a document then is one key to load
	eventually(r.t, "the file is written anew", func() bool { return r.info("persistence", "aof_rewrite_in_progress") == "0" })
	before := r.redisPID()
	r.signal(before, syscall.SIGKILL)
	return func() {
		eventually(r.t, "another redis-server has loaded", func() bool { return r.redisPID() != before && r.info("persistence", "loading") == "0" })
		if err := os.WriteFile(r.redisConf(), conf, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) pausedRedis() (end func()) {
	pid := r.redisPID()
	r.signal(pid, syscall.SIGSTOP)
	return func() { r.signal(pid, syscall.SIGCONT) }
}

// fullRedis leaves no memory for a write.
func (r *rig) fullRedis() (end func()) {
	r.do("CONFIG", "SET", "maxmemory", "1mb")
	return func() { r.do("CONFIG", "SET", "maxmemory", "0") }
}

// brokenDisk has a snapshot fail, since a folder stands where it belongs; Redis
// then takes no writes until one succeeds.
func (r *rig) brokenDisk() (end func()) {
	snapshot := filepath.Join(r.data, "r", "redis", "dump.rdb")
	if err := os.Mkdir(snapshot, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.do("CONFIG", "SET", "save", "3600 1", "stop-writes-on-bgsave-error", "yes")
	r.do("BGSAVE", "SCHEDULE")
	eventually(r.t, "the snapshot has failed", func() bool { return r.info("persistence", "rdb_last_bgsave_status") == "err" })
	return func() {
		if err := os.Remove(snapshot); err != nil {
			r.t.Fatal(err)
		}
		r.do("BGSAVE", "SCHEDULE")
		eventually(r.t, "the snapshot is written", func() bool { return r.info("persistence", "rdb_last_bgsave_status") == "ok" })
		r.do("CONFIG", "SET", "save", "")
	}
}

func (r *rig) killedNATS() (end func()) {
	r.nats.kill(true)
	return r.nats.letGo
}

func (r *rig) pausedNATS() (end func()) {
	pid := r.nats.pid()
	r.signal(pid, syscall.SIGSTOP)
	return func() { r.signal(pid, syscall.SIGCONT) }
}

// fullNATS leaves the stream no room.
func (r *rig) fullNATS() (end func()) {
	resize := func(bytes int64) {
		stream, err := r.js.Stream(r.t.Context(), schema.StreamTweets)
		if err != nil {
			r.t.Fatal(err)
		}
		cfg := stream.CachedInfo().Config
		cfg.MaxBytes = bytes
		if _, err := r.js.UpdateStream(r.t.Context(), cfg); err != nil {
			r.t.Fatal(err)
		}
	}
	stream, err := r.js.Stream(r.t.Context(), schema.StreamTweets)
	if err != nil {
		r.t.Fatal(err)
	}
	if stream.CachedInfo().Config.Discard != jetstream.DiscardNew {
		r.t.Error("a full stream would drop what nobody has read")
	}
	size := stream.CachedInfo().Config.MaxBytes
	resize(1)
	return func() { resize(size) }
}

// cutting resets all connections again and again.
func (r *rig) cutting() (end func()) {
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				done <- n
				return
			case <-time.After(300 * time.Millisecond):
				n += r.redisProxy.cut() + r.natsProxy.cut()
			}
		}
	}()
	return func() {
		close(stop)
		if n := <-done; n == 0 {
			r.t.Error("no connection was cut")
		} else {
			r.t.Logf("%d connections were cut", n)
		}
	}
}
