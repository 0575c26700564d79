package faults

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"visualizer/ingest/sim"
	"visualizer/schema"
)

// feed is X's sample stream of a simulated world, with a backfill that one can
// rely on: it makes tweets whether or not somebody reads, and a new connection
// begins where all before is known to be stored. What a reader that was killed
// had not yet handed on is so delivered again, and of a tweet that is told again
// in an older form the newest follows.
type feed struct {
	*httptest.Server

	mu      sync.Mutex
	chunks  []chunk       // not confirmed yet, each beginning with a tweet
	first   int           // number of chunks[0]
	conns   int           // connections there have been
	sent    int           // number of the first chunk that the present one was not sent
	known   int           // chunks before this one are known to be stored
	most    int           // chunks that may be unknown until no more are made
	held    time.Duration // how long none were made therefore
	more    chan struct{}
	leave   context.CancelFunc // of the one reader
	reader  string             // its token
	repeats int                // tweets that a new connection was sent again
	truth   sim.Truth
	tweets  int                      // made, resends not among them
	garbage map[string]*garbageCount // by core
	newest  string                   // id of the chunk in the making
	last    schema.Reason            // of its garbage, if it has some
	old     []string                 // some tweets' lines as they came first
	stop    chan struct{}
	stopped sync.WaitGroup
}

// chunk is a tweet with the lines that came with it.
type chunk struct {
	id      string
	lines   []byte
	garbage *garbageCount
}

// garbageCount is how often a line of garbage was made and sent at most.
type garbageCount struct {
	reason     schema.Reason
	made, sent int
}

// newFeed returns a feed that makes so many tweets a second, a fifth of them a
// second time, from now on; none while the line is behind by so much.
func newFeed(t *testing.T, perSecond float64, behind time.Duration) *feed {
	f := &feed{most: int(behind.Seconds() * perSecond), more: make(chan struct{}), garbage: map[string]*garbageCount{}, stop: make(chan struct{})}
	options := sim.DefaultOptions()
	options.Resend, options.Delete, options.Garbage, options.Emitted = 0.2, 0.01, 0.003, f.emitted
	f.Server = httptest.NewServer(f)
	f.stopped.Go(func() { f.make(sim.NewWorldWith(rand.Uint64(), options), perSecond) })
	t.Cleanup(func() { f.end(); f.CloseClientConnections(); f.Close() })
	return f
}

// emitted remembers of a tweet what is compared in the end, and no more.
func (f *feed) emitted(e sim.Emission) {
	if e.Kind == schema.KindTweet && f.newest == "" {
		f.newest = e.Tweet.ID
	}
	if e.Tweet != nil {
		e.Tweet = &schema.Tweet{ID: e.Tweet.ID, Metrics: e.Tweet.Metrics, EditHistoryIDs: e.Tweet.EditHistoryIDs}
	}
	if e.Kind == schema.KindControl {
		f.last = e.Reason
	}
	f.truth.Add(e)
}

// make makes tweets until the feed ends.
func (f *feed) make(w *sim.World, perSecond float64) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	last, making := time.Now(), time.Duration(0)
	for {
		select {
		case <-f.stop:
			return
		case now := <-tick.C:
			if took := now.Sub(last); !f.hold(took) {
				making += took
				f.catchUp(w, int(making.Seconds()*perSecond))
			}
			last = now
		}
	}
}

// hold reports whether the line is so far behind that no more is made, and counts
// for how long.
func (f *feed) hold(took time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first+len(f.chunks)-f.known < f.most {
		return false
	}
	f.held += took
	return true
}

func (f *feed) catchUp(w *sim.World, due int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	for ; f.tweets < due; f.tweets++ {
		f.newest, f.last = "", ""
		c := chunk{lines: w.Next(nil, now)}
		c.id = f.newest
		lines := bytes.SplitAfter(c.lines, []byte("\r\n"))
		if f.last != "" { // garbage comes last
			c.garbage = f.discarded(core(string(lines[len(lines)-2])))
		}
		if f.tweets%20 == 0 {
			f.old = append(f.old, string(bytes.TrimSpace(lines[0])))
		}
		f.chunks = append(f.chunks, c)
	}
	close(f.more)
	f.more = make(chan struct{})
}

// core is a line of garbage as its dead letter has it: of an object that holds a
// tweet only that, and no line end.
func core(line string) string {
	line = strings.TrimSpace(line)
	if inner, ok := strings.CutPrefix(line, `{"data":`); ok {
		return strings.TrimSuffix(inner, "}")
	}
	return line
}

func (f *feed) discarded(line string) *garbageCount {
	g := f.garbage[line]
	if g == nil {
		g = &garbageCount{reason: f.last}
		f.garbage[line] = g
	}
	g.made++
	return g
}

// ServeHTTP is a connection of a reader. X allows one: the one before ends.
func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	f.mu.Lock()
	if f.leave != nil {
		f.leave()
	}
	f.leave, f.reader = leave, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	f.conns++
	conn, next := f.conns, f.first
	f.repeats += len(f.chunks)
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	for ctx.Err() == nil {
		lines, more := f.take(conn, &next)
		if _, err := w.Write(lines); err != nil {
			return
		}
		http.NewResponseController(w).Flush()
		select {
		case <-more:
		case <-ctx.Done():
		}
		select {
		case <-time.After(atOnceEvery):
		case <-ctx.Done():
		}
	}
}

const (
	// mostAtOnce chunks each atOnceEvery is how fast the past is sent. Nothing
	// holds a stream up, so that its reader must have time to hand on what came.
	mostAtOnce  = 40
	atOnceEvery = 10 * time.Millisecond
)

// take returns what there is from a chunk on, and what closes when there is more.
func (f *feed) take(conn int, next *int) (lines []byte, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	begin := min(max(*next-f.first, 0), len(f.chunks))
	end := min(begin+mostAtOnce, len(f.chunks))
	for _, c := range f.chunks[begin:end] {
		lines = append(lines, c.lines...)
		if c.garbage != nil {
			c.garbage.sent++
		}
	}
	*next = f.first + end
	if conn == f.conns {
		f.sent = *next
	}
	if end < len(f.chunks) {
		return lines, closed()
	}
	return lines, f.more
}

// closed is a channel that waits for nothing.
func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// progress tells which connection there is, and the newest tweet; none while it
// was not yet sent what is made now.
func (f *feed) progress() (conn int, newest string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.chunks) == 0 || f.reader == "" || f.sent < f.first+len(f.chunks)-liveRate/2 {
		return f.conns, ""
	}
	return f.conns, f.chunks[len(f.chunks)-1].id
}

// unknown is the tweets that were sent and are not known to be stored, in their
// order, so many at most.
func (f *feed) unknown(most int) (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := f.known; n < min(f.sent, f.known+most); n++ {
		ids = append(ids, f.chunks[n-f.first].id)
	}
	return ids
}

// stored notes that so many more tweets are stored. The next connection begins
// some before: the lines that came with a tweet may stand in a later message.
func (f *feed) stored(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known += n
	if n := f.known - overtaken - f.first; n > overtaken { // seldom, as it copies
		f.chunks, f.first = slices.Clone(f.chunks[n:]), f.first+n
	}
}

// overtaken chunks are 2 s of the feed.
const overtaken = 2 * liveRate

// cut ends the reader's connection.
func (f *feed) cut() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leave == nil {
		return false
	}
	f.leave()
	return true
}

// who is the token of the present reader.
func (f *feed) who() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reader
}

// observedBefore returns tweets as they came first, shuffled, as a file of
// observations from long ago.
func (f *feed) observedBefore() (file string, tweets int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines := make([]string, len(f.old))
	for i, n := range rand.Perm(len(f.old)) {
		lines[i] = strings.TrimSuffix(f.old[n], "}") + `,"__twarc":{"retrieved_at":"2022-01-01T00:00:00Z"}}`
	}
	return strings.Join(lines, "\n"), len(lines)
}

// end makes no more tweets. Those that are made are still delivered.
func (f *feed) end() {
	select {
	case <-f.stop:
	default:
		close(f.stop)
	}
	f.stopped.Wait()
}

// gone reports whether a tweet can't be found any more.
func (f *feed) gone(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	fate, ok := f.truth.Get(id)
	return ok && !fate.Found()
}

// forgetReader has who tell of the next reader only.
func (f *feed) forgetReader() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reader = ""
}
