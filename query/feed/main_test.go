package feed_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/rueidis"
	"go.uber.org/goleak"

	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
	"visualizer/query/feed"
	"visualizer/query/search"
	"visualizer/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// line is ingest as the feed sees it, over real servers: the test stores tweets
// and tells of them.
type line struct {
	*feed.Feed
	t     *testing.T
	redis rueidis.Client
	js    jetstream.JetStream
	wire  *wire // of the feed to NATS

	process string
	number  uint64 // of the last transaction
	told    uint64 // of the last that was told
	ids     map[uint64][]string
}

func start(t *testing.T, change func(*feed.Limits)) *line {
	t.Helper()
	servers := stacktest.Start(t)
	l := &line{t: t, redis: stacktest.Redis(t, servers), process: "p", ids: map[uint64][]string{}}
	own := connect(t, servers)
	var err error
	if l.js, err = jetstream.New(own); err != nil {
		t.Fatal(err)
	}
	l.makeStream()
	l.wire = &wire{}
	conn := connect(t, servers, l.wire.through, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	limits := feed.DefaultLimits()
	limits.Patience = 2 * time.Second
	if change != nil {
		change(&limits)
	}
	l.Feed = feed.New(search.New(l.redis), limits, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx, conn) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	l.ready()
	return l
}

func connect(t *testing.T, servers *stack.Stack, more ...nats.Option) *nats.Conn {
	t.Helper()
	url, options := servers.NATS()
	conn, err := nats.Connect(url, append(options, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// wire is a connection that can break.
type wire struct {
	nats.InProcessConnProvider

	mu     sync.Mutex
	broken bool
	conns  []net.Conn
}

// through has a client connect over the wire.
func (w *wire) through(o *nats.Options) error {
	w.InProcessConnProvider, o.InProcessServer = o.InProcessServer, w
	return nil
}

// InProcessConn connects, unless the wire is broken.
func (w *wire) InProcessConn() (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		return nil, errors.New("the wire is broken")
	}
	conn, err := w.InProcessConnProvider.InProcessConn()
	w.conns = append(w.conns, conn)
	return conn, err
}

// cut breaks the wire, or mends it.
func (w *wire) cut(broken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = broken
	if broken {
		for _, c := range w.conns {
			c.Close()
		}
	}
}

func (l *line) ready() {
	l.t.Helper()
	l.eventually("the feed is open", func() bool { return l.Ready(l.t.Context()) == nil })
}

func (l *line) eventually(what string, ok func() bool) {
	l.t.Helper()
	deadline, tick := time.After(20*time.Second), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			l.t.Fatalf("it is not so that %s", what)
		case <-tick.C:
		}
	}
}

func (l *line) makeStream() {
	l.t.Helper()
	if _, err := l.js.CreateStream(l.t.Context(), jetstream.StreamConfig{
		Name: schema.StreamStored, Subjects: []string{schema.SubjectStored}, Storage: jetstream.MemoryStorage,
	}); err != nil {
		l.t.Fatal(err)
	}
}

// store stores tweets in one transaction, of which nobody is told yet.
func (l *line) store(tweets ...schema.Tweet) {
	l.t.Helper()
	l.number++
	for _, t := range tweets {
		text, err := schema.Encode(schema.NewDocument(t, schema.Ranks{}))
		if err == nil {
			err = l.redis.Do(l.t.Context(), l.redis.B().JsonSet().Key(schema.TweetKey(t.ID)).Path("$").Value(string(text)).Build()).Error()
		}
		if err != nil {
			l.t.Fatal(err)
		}
		l.ids[l.number] = append(l.ids[l.number], t.ID)
	}
	if err := l.redis.Do(l.t.Context(), l.redis.B().Xadd().Key(schema.OutboxKey).Id("0-"+strconv.FormatUint(l.number, 10)).FieldValue().
		FieldValue(schema.OutboxIDs, strings.Join(l.ids[l.number], " ")).Build()).Error(); err != nil {
		l.t.Fatal(err)
	}
}

// tell tells of the transactions from a number on.
func (l *line) tell(from uint64) {
	l.t.Helper()
	m := schema.Stored{Process: l.process}
	for n := from; n <= l.number; n++ {
		m.Entries = append(m.Entries, schema.Entry{Number: n, IDs: l.ids[n]})
	}
	text, err := schema.Encode(m)
	if err == nil {
		_, err = l.js.Publish(l.t.Context(), schema.SubjectStored, text)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	l.told = l.number
}

// add stores a tweet and tells of it.
func (l *line) add(t schema.Tweet) {
	l.t.Helper()
	l.store(t)
	l.tell(l.told + 1)
}

// follow subscribes until the test ends.
func (l *line) follow(f *search.Filter) *feed.Subscription {
	l.t.Helper()
	s, err := l.tryFollow(f)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func (l *line) tryFollow(f *search.Filter) (*feed.Subscription, error) {
	l.t.Helper()
	p, err := search.NewPredicate(f)
	if err != nil {
		l.t.Fatal(err)
	}
	return l.Subscribe(l.t.Context(), l.t.Context(), p)
}

// next returns the id of the next tweet, or why there is none.
func (l *line) next(s *feed.Subscription) string {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Second)
	defer cancel()
	it, err := s.Next(ctx)
	if err != nil {
		return err.Error()
	}
	return it.Tweet.ID
}

// expect checks what comes next.
func (l *line) expect(what string, s *feed.Subscription, want ...string) {
	l.t.Helper()
	for i, id := range want {
		if got := l.next(s); got != id {
			l.t.Fatalf("%s: %d of %d is %s, want %s", what, i+1, len(want), got, id)
		}
	}
}
