package ingest

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

const (
	tallyEvery = 200 * time.Millisecond
	// heartbeatTTL is how long a killed ingest service is still taken for
	// alive.
	heartbeatTTL = 3 * time.Second
	rateWindow   = 10 * time.Second
)

// tally collects the counters of the reading side and writes them to the
// status from time to time, together with the line's state.
type tally struct {
	client rueidis.Client
	log    *slog.Logger

	mu     sync.Mutex
	counts map[string]int64
	fields map[string]string
	rate   window
}

func newTally(client rueidis.Client, log *slog.Logger) *tally {
	return &tally{client: client, log: log, counts: map[string]int64{}, fields: map[string]string{}}
}

// add counts n of what name says.
func (t *tally) add(name string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] += n
}

// arrived notes a tweet of a source.
func (t *tally) arrived(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fields[schema.StatusLastAt] = strconv.FormatInt(at.UnixMilli(), 10)
	t.rate.add(at)
}

// set changes a field of the status.
func (t *tally) set(name, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fields[name] = value
}

// start begins a new run of the line, unless another service is in one: then
// it joins that. It returns the run's id.
func (t *tally) start(ctx context.Context, run, source string, alone bool) (string, error) {
	b := t.client.B()
	if !alone {
		alive, err := t.client.Do(ctx, b.Exists().Key(schema.HeartbeatKey).Build()).AsBool()
		if err != nil {
			return "", err
		}
		present, err := t.client.Do(ctx, t.client.B().Hget().Key(schema.StatusKey).Field(schema.StatusRun).Build()).ToString()
		if alive && err == nil {
			return present, nil
		}
	}
	started := strconv.FormatInt(time.Now().UnixMilli(), 10)
	for _, r := range t.client.DoMulti(ctx,
		t.client.B().Multi().Build(),
		t.client.B().Del().Key(schema.StatusKey).Build(),
		t.client.B().Hset().Key(schema.StatusKey).FieldValue().
			FieldValue(schema.StatusRun, run).
			FieldValue(schema.StatusStartedAt, started).
			FieldValue(schema.StatusState, string(schema.StateConnecting)).
			FieldValue(schema.StatusSource, source).Build(),
		t.heartbeat(),
		t.client.B().Exec().Build()) {
		if err := r.Error(); err != nil {
			return "", err
		}
	}
	return run, nil
}

func (t *tally) heartbeat() rueidis.Completed {
	return t.client.B().Set().Key(schema.HeartbeatKey).Value("1").Px(heartbeatTTL).Build()
}

// Run writes to the status until ctx ends.
func (t *tally) Run(ctx context.Context) error {
	tick := time.NewTicker(tallyEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := t.flush(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			t.log.Warn("write the status", "err", err)
		}
		failing = err != nil
	}
}

// flush writes what has come together; after an error it is kept for the next
// time.
func (t *tally) flush(ctx context.Context) error {
	t.mu.Lock()
	counts, fields := t.counts, t.fields
	t.counts, t.fields = map[string]int64{}, map[string]string{}
	perSecond := t.rate.perSecond(time.Now())
	t.mu.Unlock()

	fields[schema.StatusRate] = strconv.FormatFloat(perSecond, 'f', 1, 64)
	cmds := []rueidis.Completed{t.client.B().Multi().Build(), t.heartbeat()}
	for name, n := range counts {
		cmds = append(cmds, t.client.B().Hincrby().Key(schema.StatusKey).Field(name).Increment(n).Build())
	}
	for name, value := range fields {
		cmds = append(cmds, t.client.B().Hset().Key(schema.StatusKey).FieldValue().FieldValue(name, value).Build())
	}
	replies := t.client.DoMulti(ctx, append(cmds, t.client.B().Exec().Build())...)
	err := replies[len(replies)-1].Error()
	if err != nil {
		t.restore(counts, fields)
	}
	return err
}

// restore puts back what could not be written, under what has come since.
func (t *tally) restore(counts map[string]int64, fields map[string]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, n := range counts {
		t.counts[name] += n
	}
	for name, value := range fields {
		if _, newer := t.fields[name]; !newer {
			t.fields[name] = value
		}
	}
}

// window counts events of the last rateWindow, a bucket a second.
type window struct {
	buckets [int(rateWindow / time.Second)]int64
	seconds [int(rateWindow / time.Second)]int64 // which second a bucket is of
}

func (w *window) add(at time.Time) {
	i := at.Unix() % int64(len(w.buckets))
	if w.seconds[i] != at.Unix() {
		w.buckets[i], w.seconds[i] = 0, at.Unix()
	}
	w.buckets[i]++
}

func (w *window) perSecond(now time.Time) float64 {
	var n int64
	for i, s := range w.seconds {
		if now.Unix()-s < int64(len(w.buckets)) {
			n += w.buckets[i]
		}
	}
	return float64(n) / rateWindow.Seconds()
}
