package ingest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/rueidis"

	"visualizer/schema"
)

// applied is how far parts were executed.
type applied struct {
	places map[string]uint64 // by part's name: the place of the last event that was
	floor  delivery          // see schema.FloorKey
}

// split divides parts into what was executed, which may not be acked yet, and what
// was not.
func (a applied) split(parts []part) (done, left []part) {
	for _, p := range parts {
		events := p.events
		n := a.doneOf(p)
		if p.events = events[:n]; n > 0 && !a.acked(p) {
			done = append(done, p)
		}
		if p.events = events[n:]; len(p.events) > 0 {
			left = append(left, p)
		}
	}
	return done, left
}

// doneOf returns how many events of a part were executed.
func (a applied) doneOf(p part) int {
	if p.of.sequence == 0 {
		return 0
	}
	if a.acked(p) {
		return len(p.events)
	}
	n := slices.IndexFunc(p.events, func(w work) bool { return w.place > a.places[p.name()] })
	if n < 0 {
		return len(p.events)
	}
	return n
}

// acked reports whether a part's message is below the floor: it was executed as a
// whole, and its notes are gone. Its time is looked at as well, since a stream that
// was lost and made again counts from 1.
func (a applied) acked(p part) bool {
	return p.of.sequence <= a.floor.sequence && p.of.stored <= a.floor.stored
}

// asksOf returns the commands that tell how far parts were executed. They are
// asked with the lane watched, so that the answer still holds when it is
// written.
func asksOf(c rueidis.DedicatedClient, parts []part) []ask {
	var names []string
	for _, p := range parts {
		if name := p.name(); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	learnPlaces := func(s *state, r rueidis.RedisResult) error {
		s.applied.places = map[string]uint64{}
		return eachString(names, r, func(name, place string) (err error) {
			s.applied.places[name], err = strconv.ParseUint(place, 10, 64)
			return err
		})
	}
	return []ask{
		{"what was applied", c.B().Hmget().Key(schema.AppliedKey).Field(names...).Build(), learnPlaces},
		{"the floor", c.B().Zmscore().Key(schema.FloorKey).Member(schema.FloorSequence, schema.FloorTime).Build(), learnFloor},
	}
}

func learnFloor(s *state, r rueidis.RedisResult) error {
	scores, err := r.ToArray()
	if err != nil || scores[0].IsNil() || scores[1].IsNil() {
		return err
	}
	sequence, err := scores[0].AsFloat64()
	if err != nil {
		return err
	}
	stored, err := scores[1].AsFloat64()
	s.applied.floor = delivery{uint64(sequence), int64(stored)}
	return err
}

// notes are of messages that this writer has acked, and that may still be in the
// hands of a writer that was paused.
type notes struct {
	mu    sync.Mutex
	acked []ackedMessage
	swept bool // what killed writers left behind is gone
}

type ackedMessage struct {
	delivery
	parts []string
}

func (n *notes) add(m *message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.acked = append(n.acked, ackedMessage{m.of, m.parts})
}

// below takes out what is at or below a floor.
func (n *notes) below(floor uint64) (taken []ackedMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.acked = slices.DeleteFunc(n.acked, func(m ackedMessage) bool {
		if m.sequence > floor {
			return false
		}
		taken = append(taken, m)
		return true
	})
	return taken
}

// forget notes how far the stream is acked without a gap, and removes what is
// noted of the messages below. Should it fail, that only takes room.
func (w *Writer) forget(ctx context.Context, info *jetstream.ConsumerInfo) {
	floor := info.AckFloor.Stream
	taken := w.notes.below(floor)
	if len(taken) == 0 {
		return
	}
	var highest delivery
	var parts []string
	for _, m := range taken {
		if m.sequence > highest.sequence {
			highest = m.delivery
		}
		parts = append(parts, m.parts...)
	}
	if !w.notes.swept {
		parts = append(parts, w.leftover(ctx, highest.sequence)...)
		w.notes.swept = true
	}
	c := w.all.client
	cmds := rueidis.Commands{
		c.B().Multi().Build(),
		c.B().Zadd().Key(schema.FloorKey).Gt().ScoreMember().
			ScoreMember(float64(highest.sequence), schema.FloorSequence).
			ScoreMember(float64(highest.stored), schema.FloorTime).Build(),
	}
	if len(parts) > 0 {
		cmds = append(cmds, c.B().Hdel().Key(schema.AppliedKey).Field(parts...).Build())
	}
	for _, r := range c.DoMulti(ctx, append(cmds, c.B().Exec().Build())...) {
		if err := r.Error(); err != nil {
			w.log.Debug("forget what was applied", "err", err)
			return
		}
	}
}

// leftover returns what writers that were killed after an ack have noted.
func (w *Writer) leftover(ctx context.Context, floor uint64) (parts []string) {
	c := w.all.client
	names, err := c.Do(ctx, c.B().Hkeys().Key(schema.AppliedKey).Build()).AsStrSlice()
	if err != nil {
		return nil
	}
	for _, name := range names {
		sequence, _, _ := strings.Cut(name, ".")
		if n, err := strconv.ParseUint(sequence, 36, 64); err == nil && n <= floor {
			parts = append(parts, name)
		}
	}
	return parts
}
