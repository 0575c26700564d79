package faults

import (
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"visualizer/schema"
)

// told is what a follower of SubjectStored was told.
type told struct {
	r      *rig
	reader schema.StoredReader
	stop   func()

	mu   sync.Mutex
	ids  map[string]int // how often
	gaps int
}

// follow reads what is stored from now on.
func (r *rig) follow() *told {
	r.t.Helper()
	f := &told{r: r, ids: map[string]int{}, stop: func() {}}
	f.again()
	r.t.Cleanup(func() { f.stop() })
	return f
}

// again follows anew, as one must when NATS was restarted: it keeps what was
// stored in memory.
func (f *told) again() {
	f.r.t.Helper()
	f.stop()
	var consumer jetstream.Consumer
	eventually(f.r.t, "there is a stream of what is stored", func() (ok bool) {
		var err error
		consumer, err = f.r.js.OrderedConsumer(f.r.t.Context(), schema.StreamStored, jetstream.OrderedConsumerConfig{})
		return err == nil
	})
	consuming, err := consumer.Consume(f.take)
	if err != nil {
		f.r.t.Fatal(err)
	}
	f.stop = func() { consuming.Stop(); <-consuming.Closed() }
}

func (f *told) take(msg jetstream.Msg) {
	var m schema.Stored
	if err := schema.Decode(msg.Data(), &m); err != nil {
		f.r.t.Errorf("read what was stored: %v", err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ids, err := f.reader.Next(m)
	if err != nil {
		f.gaps++
	}
	for _, id := range ids {
		f.ids[id]++
	}
}

// mark is a tweet made now, with the gaps until now.
func (f *told) mark(r *rig) (m mark) {
	eventually(r.t, "somebody reads", func() bool { _, m.id = r.feed.progress(); return m.id != "" })
	eventually(r.t, "it is told", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		m.gaps = f.gaps
		return f.ids[m.id] > 0
	})
	return m
}

type mark struct {
	id   string
	gaps int
}

// checkBefore: as long as neither Redis nor NATS was restarted there is no gap,
// and each tweet that can be found, of those made so far, was told once; none
// twice. The stream keeps what was stored before the follower came.
func (f *told) checkBefore(t *testing.T, r *rig) {
	t.Helper()
	r.feed.mu.Lock()
	var want []string
	for id, fate := range r.feed.truth.All {
		if fate.Found() {
			want = append(want, id)
		}
	}
	r.feed.mu.Unlock()
	eventually(t, "what was made is told", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, id := range want {
			if f.ids[id] == 0 && !r.feed.gone(id) {
				return false
			}
		}
		return true
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gaps > 0 {
		t.Errorf("with no server restarted there are %d gaps in what was told", f.gaps)
	}
	f.unique(t)
	t.Logf("%d tweets are told of, each once", len(f.ids))
}

// unique: none was told twice. f.mu is held.
func (f *told) unique(t *testing.T) {
	t.Helper()
	twice := 0
	for _, n := range f.ids {
		if n > 1 {
			twice++
		}
	}
	if twice > 0 {
		t.Errorf("%d tweets are told of twice", twice)
	}
}

// check: what is told of was stored in its own right, what is missing there is a
// gap for, and what was made behind a mark, when no server was restarted any
// more, is told once and without a gap. A restart of Redis may have a tweet
// stored, and told, a second time.
func (f *told) check(t *testing.T, r *rig, last mark) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	missing, late := 0, 0
	for id, fate := range r.feed.truth.All {
		if fate.Found() && f.ids[id] == 0 {
			missing++
		}
		if schema.CompareID(id, last.id) <= 0 || fate.Delivered == 0 {
			continue
		}
		late++
		if n := f.ids[id]; n > 1 || n == 0 && fate.Found() {
			t.Errorf("tweet %s was made when no server was restarted any more, and told %d times", id, n)
		}
	}
	for id := range f.ids {
		if fate, ok := r.feed.truth.Get(id); !ok || fate.Delivered == 0 {
			t.Errorf("tweet %s is told of, and was not sent in its own right", id)
		}
	}
	t.Logf("%d tweets are told of, %d gaps, %d missing; of the last %d none", len(f.ids), f.gaps, missing, late)
	if missing > 0 && f.gaps == 0 || f.gaps != last.gaps || late == 0 {
		t.Errorf("%d gaps, %d of them at the end; %d tweets missing, %d made at the end", f.gaps, f.gaps-last.gaps, missing, late)
	}
}
