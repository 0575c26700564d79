package ingest

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"visualizer/ingest/source"
	"visualizer/internal/line"
	"visualizer/schema"
)

const (
	tallyEvery = 200 * time.Millisecond
	// heartbeatTTL is how long a killed ingest service is still taken for
	// alive.
	heartbeatTTL = 3 * time.Second
	rateWindow   = 10 * time.Second
)

// tally collects the counters of the reading side and what this service is
// doing, and writes both to Redis from time to time.
type tally struct {
	client  rueidis.Client
	service string // id
	log     *slog.Logger
	// troubles, if set, is told whether the status can be written.
	troubles *troubles

	mu     sync.Mutex
	counts map[string]int64
	states map[source.Source]schema.StreamState // of the sources that are being read
	doing  schema.ServiceStatus
	rate   window
	turned chan struct{} // gets a value when the state changes, which is told at once

	flushing sync.Mutex       // held by flush: one at a time
	unsure   map[string]int64 // counts that were sent without word whether they arrived
	flushed  int64            // number of the last counts sent
}

func newTally(client rueidis.Client, service, sources string, log *slog.Logger) *tally {
	return &tally{
		client: client, service: service, log: log, counts: map[string]int64{}, states: map[source.Source]schema.StreamState{},
		turned: make(chan struct{}, 1),
		doing:  schema.ServiceStatus{State: schema.StateConnecting, Source: sources},
	}
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
	t.doing.LastAt = schema.TimeOf(at)
	t.rate.add(at)
}

// state notes what a source is doing now. The service is in the busiest of its
// sources' states.
func (t *tally) state(src source.Source, s schema.StreamState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states[src] = s
	t.turn(schema.Busiest(slices.Collect(maps.Values(t.states))...))
}

// turn changes the service's state, with t.mu held.
func (t *tally) turn(s schema.StreamState) {
	if t.doing.State == s {
		return
	}
	t.doing.State = s
	select {
	case t.turned <- struct{}{}:
	default:
	}
}

// ended notes that a source is at its end. When all are, the rest is still to be
// stored. A source that is down for good is not at its end.
func (t *tally) ended(src source.Source) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.states, src)
	if len(t.states) == 0 {
		t.turn(schema.StateRunning)
		return
	}
	t.turn(schema.Busiest(slices.Collect(maps.Values(t.states))...))
}

// finished notes that all is stored, and read but for sources that are down for
// good.
func (t *tally) finished() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.states) == 0 {
		t.turn(schema.StateFinished)
	}
}

// heeds notes what the service goes by.
func (t *tally) heeds(c schema.Control) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doing.Heeds = c.Version
}

// failed notes an error of a source.
func (t *tally) failed(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doing.LastError = err.Error()
}

// start begins a new run of the line, unless another service is in one: then
// it joins that. It returns the run's id.
func (t *tally) start(ctx context.Context, run string, alone bool) (string, error) {
	// Of services that start together one begins the run.
	for {
		err := t.client.Do(ctx, t.client.B().Set().Key(schema.StartingKey).Value(t.service).Nx().Px(heartbeatTTL).Build()).Error()
		if err == nil {
			break
		}
		if !rueidis.IsRedisNil(err) {
			return "", err
		}
		pause(ctx, 20*time.Millisecond)
	}
	defer t.client.Do(ctx, t.client.B().Del().Key(schema.StartingKey).Build())
	services, err := line.Services(ctx, t.client)
	if err != nil {
		return "", err
	}
	if len(services) > 0 && !alone {
		present, err := t.client.Do(ctx, t.client.B().Hget().Key(schema.StatusKey).Field(schema.StatusRun).Build()).ToString()
		if err != nil {
			return "", err
		}
		return present, t.flush(ctx)
	}
	for _, r := range t.client.DoMulti(ctx,
		t.client.B().Multi().Build(),
		t.client.B().Del().Key(schema.StatusKey, schema.ServicesKey).Build(),
		t.client.B().Hset().Key(schema.StatusKey).FieldValue().FieldValue(schema.StatusRun, run).Build(),
		t.client.B().Exec().Build()) {
		if err := r.Error(); err != nil {
			return "", err
		}
	}
	return run, t.flush(ctx)
}

// Run writes to Redis until ctx ends.
func (t *tally) Run(ctx context.Context) error {
	tick := time.NewTicker(tallyEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-t.turned:
		}
		err := t.flush(ctx)
		if ctx.Err() == nil && t.troubles != nil {
			t.troubles.note(partStatus, err)
		}
		if err != nil && ctx.Err() == nil && !failing {
			t.log.Warn("write the status", "err", err)
		}
		failing = err != nil
	}
}

// flush writes what has come together. Counts go in with a number, so that
// after a lost reply one can see whether they had arrived.
func (t *tally) flush(ctx context.Context) error {
	t.flushing.Lock()
	defer t.flushing.Unlock()
	if err := t.settle(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	counts := t.counts
	t.counts = map[string]int64{}
	t.doing.Rate = t.rate.perSecond(time.Now())
	doing, err := schema.Encode(t.doing)
	t.mu.Unlock()
	if err != nil {
		return err
	}
	t.flushed++
	cmds := []rueidis.Completed{
		t.client.B().Multi().Build(),
		t.client.B().Sadd().Key(schema.ServicesKey).Member(t.service).Build(),
		t.client.B().Set().Key(schema.ServiceKey(t.service)).Value(rueidis.BinaryString(doing)).Px(heartbeatTTL).Build(),
		t.client.B().Hset().Key(schema.StatusKey).FieldValue().FieldValue(t.flushedField(), strconv.FormatInt(t.flushed, 10)).Build(),
	}
	for name, n := range counts {
		cmds = append(cmds, t.client.B().Hincrby().Key(schema.StatusKey).Field(name).Increment(n).Build())
	}
	replies := t.client.DoMulti(ctx, append(cmds, t.client.B().Exec().Build())...)
	if err = replies[len(replies)-1].Error(); err != nil {
		t.unsure = counts
		return firstError(replies, err)
	}
	return nil
}

// settle finds out what became of counts whose reply was lost, and takes them
// back when they had not arrived.
func (t *tally) settle(ctx context.Context) error {
	if t.unsure == nil {
		return nil
	}
	last, err := t.client.Do(ctx, t.client.B().Hget().Key(schema.StatusKey).Field(t.flushedField()).Build()).AsInt64()
	if err != nil && !rueidis.IsRedisNil(err) {
		return err
	}
	if last != t.flushed {
		for name, n := range t.unsure {
			t.add(name, n)
		}
	}
	t.unsure = nil
	return nil
}

// flushedField is the field of the status with the number of this service's
// last counts.
func (t *tally) flushedField() string { return schema.StatusFlushed + t.service }

// leave writes the rest and takes the service off the line. What the last one
// was doing stays to be seen.
func (t *tally) leave(ctx context.Context) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	last := t.doing
	t.mu.Unlock()
	if last.State != schema.StateFinished {
		last.State = schema.StateOffline
	}
	last.Rate = 0
	doing, err := schema.Encode(last)
	if err != nil {
		return err
	}
	replies := t.client.DoMulti(ctx,
		t.client.B().Hset().Key(schema.StatusKey).FieldValue().FieldValue(schema.StatusLast, rueidis.BinaryString(doing)).Build(),
		t.client.B().Srem().Key(schema.ServicesKey).Member(t.service).Build(),
		t.client.B().Del().Key(schema.ServiceKey(t.service)).Build())
	return replies[0].Error()
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
