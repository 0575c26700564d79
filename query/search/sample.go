package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"
	"golang.org/x/sync/singleflight"

	"visualizer/internal/fault"
	"visualizer/schema"
)

// sample is the places of a segment's tweets, one in schema.SampleRate, in
// ascending order: it tells how far so and so many tweets reach from a place.
// It is a guess: no answer depends on it, only how long it takes.
type sample struct {
	places []place
	read   time.Time
	took   time.Duration
}

// tweets returns about how many tweets the segment has.
func (s *sample) tweets() int { return len(s.places) * schema.SampleRate }

// reach returns the place that lies about n tweets from a start, downwards or
// upwards; no start is the segment's end. False means that the segment ends
// before.
func (s *sample) reach(start *place, down bool, n int) (place, bool) {
	whole, part := n/schema.SampleRate, float64(n%schema.SampleRate)/schema.SampleRate
	at := s.rank(start, down) + whole // of the next place above the start, when going up
	if down {
		at = s.rank(start, down) - 1 - whole
	}
	if at < 0 || at >= len(s.places) {
		return place{}, false
	}
	near := s.places[at]
	if whole > 0 || start == nil {
		return near, true
	}
	return s.interpolate(*start, at, down, part), true
}

// interpolate returns the place a part of the way from a start to the next one
// of the sample, as if the tweets were spread evenly around there.
func (s *sample) interpolate(start place, at int, down bool, part float64) place {
	next, other := s.places[at], at+1
	if !down {
		other = at - 1
	}
	if other < 0 || other >= len(s.places) {
		return next
	}
	gap := next
	for i := range gap { // in the first key in which the two differ
		gap[i] -= s.places[other][i]
		if gap[i] == 0 && next[i] == start[i] {
			continue
		}
		if next[i] == s.places[other][i] {
			return next
		}
		far := start
		far[i] += int64(float64(gap[i]) * part)
		if down == (far.compare(next) < 0) {
			return next
		}
		return far
	}
	return next
}

// rank returns how many places lie below a start, those equal to it included
// when the way leads down.
func (s *sample) rank(start *place, down bool) int {
	if start == nil && down {
		return len(s.places)
	}
	if start == nil {
		return 0
	}
	at, _ := slices.BinarySearchFunc(s.places, *start, func(p, q place) int {
		if c := p.compare(q); c != 0 || !down {
			return c
		}
		return -1
	})
	return at
}

// sharing returns about how many tweets have a first key.
func (s *sample) sharing(first int64) int {
	return s.between(stretch{&place{first, firstSecond}, &place{first, lastSecond}})
}

// between returns about how many tweets lie in a stretch.
func (s *sample) between(st stretch) int {
	return max(s.rank(st.to, true)-s.rank(st.from, false), 0) * schema.SampleRate
}

// samples are those of all segments in use.
type samples struct {
	mu    sync.Mutex
	bySeg map[segment]*sample
	reads singleflight.Group
}

const (
	// sampleAge is when a sample is read again while it is used; one whose
	// reading took long, so many times as long, since Redis did nothing else.
	sampleAge  = 2 * time.Second
	sampleCost = 500
	// maxSample bounds a sample: 64 M tweets.
	maxSample = 1_000_000
)

// get returns a segment's sample, and reads it when there is none or an old
// one. While one caller does so, others go on with the old one.
func (c *samples) get(ctx context.Context, seg segment, read func(context.Context, segment) (*sample, error)) (*sample, error) {
	seg.order.Descending = false // the same tweets
	known, due := c.known(seg)
	if known != nil && !due {
		return known, nil
	}
	reading := c.reads.DoChan(fmt.Sprint(seg), func() (any, error) {
		// The others wait for it too, whatever time this one has.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sampleTime)
		defer cancel()
		var s *sample
		err := fault.Contain(func() (err error) { s, err = read(ctx, seg); return err })
		c.put(seg, s)
		return s, err
	})
	select {
	case <-ctx.Done():
		return nil, classify(ctx, ctx.Err())
	case r := <-reading:
		if r.Err != nil && known != nil {
			return known, nil
		}
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*sample), nil
	}
}

// sampleTime is the longest that reading a sample may take.
const sampleTime = 5 * time.Second

// known returns a segment's sample and whether the caller is to read it again.
func (c *samples) known(seg segment) (known *sample, due bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known = c.bySeg[seg]
	if known == nil || time.Since(known.read) < max(sampleAge, sampleCost*known.took) {
		return known, false
	}
	known.read = time.Now() // the others go on with it
	return known, true
}

func (c *samples) put(seg segment, read *sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bySeg == nil {
		c.bySeg = map[segment]*sample{}
	}
	if read != nil {
		c.bySeg[seg] = read
	}
}

// sampleClause is the clause of the tweets of the sample.
const sampleClause = "@" + schema.FieldIs + ":{" + schema.IsSample + "}"

// readSample reads a segment's sample.
func (s *Store) readSample(ctx context.Context, seg segment) (*sample, error) {
	began := time.Now()
	query := branch{clauses: []clause{{text: sampleClause}}}
	query.clauses = append(query.clauses, seg.narrow(stretch{})[0].clauses...)
	fields := seg.keyFields()
	args := []string{"LOAD", strconv.Itoa(len(fields))}
	for _, f := range fields {
		args = append(args, "@"+f)
	}
	c := call{name: "FT.AGGREGATE", query: query.query(), args: append(args, "LIMIT", "0", strconv.Itoa(maxSample)), brief: true}
	read, err := send(ctx, s, nil, c, parsePlaces(fields))
	if err != nil {
		return nil, fmt.Errorf("read a sample of %s: %w", seg.field(), err)
	}
	slices.SortFunc(read.rows, place.compare)
	return &sample{places: read.rows, read: time.Now(), took: time.Since(began)}, nil
}

// places are rows that hold nothing but sort keys.
type places struct {
	total int
	rows  []place
}

// parsePlaces reads the values of fields from the reply to FT.AGGREGATE.
func parsePlaces(fields []string) func(rueidis.RedisResult) (places, error) {
	return func(reply rueidis.RedisResult) (places, error) {
		answer, err := readAnswer(reply)
		if err != nil {
			return places{}, err
		}
		p := places{total: answer.total, rows: make([]place, 0, len(answer.hits))}
		for i := range answer.hits {
			values, err := attributes(&answer.hits[i])
			if err != nil {
				return places{}, fmt.Errorf("%w: row %d: %w", errMalformed, i, err)
			}
			if row, ok := placeOf(values, fields); ok { // or the document went away
				p.rows = append(p.rows, row)
			}
		}
		return p, nil
	}
}

func placeOf(values map[string]rueidis.RedisMessage, fields []string) (p place, ok bool) {
	for i, f := range fields {
		value := values[f]
		number, err := value.AsFloat64()
		if err != nil {
			return p, false
		}
		p[i] = keyOf(f, number)
	}
	return p, true
}

// keyOf is the key of a number in the index, see keyText.
func keyOf(field string, number float64) int64 {
	if field == schema.FieldCreatedAt {
		return int64(schema.MomentOf(number))
	}
	return int64(number)
}
