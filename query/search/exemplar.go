package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"visualizer/internal/fault"
	"visualizer/schema"
)

// exemplars are whole tweets of the sample, of which a filter that was never
// asked is tried: how many match, and how soon on the walk, tells how wide a
// window the page needs before Redis is asked anything. Like the sample they
// only guide the planner.
//
// They are kept in memory for exemplarLife at most, so that a deleted tweet is
// gone by then, and read again while new questions come. Nobody waits for that.
type exemplars struct {
	mu      sync.Mutex
	drawn   *drawing
	reading bool
}

const (
	// exemplarCount is how many are drawn, about: of a million tweets each stands
	// for a thousand, which read as a whole take about as long as a window.
	exemplarCount = 1024
	// maxExemplars and exemplarBytes bound their memory, to 8 MB. Longer tweets
	// are no exemplars.
	maxExemplars  = exemplarCount * 5 / 4
	exemplarBytes = 6 << 10
	// exemplarBite is how many are read at once, which takes Redis less than a
	// millisecond.
	exemplarBite = 64
	// exemplarAge is when they are drawn again while new questions come, which
	// takes Redis 15 ms at once among a million tweets; when all of it took long,
	// so many times as long, see sampleCost.
	exemplarAge  = time.Minute
	exemplarLife = 2 * time.Minute
)

// get returns the present exemplars, nil when there are none, and has them read
// when they are due. It does not wait for that.
func (c *exemplars) get(read func() (*drawing, error)) *drawing {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reading && (c.drawn == nil || c.drawn.due()) {
		c.reading = true
		go func() { _ = c.renew(read) }() // a guess is missing at worst
	}
	return c.drawn
}

// renew reads new exemplars. Without them the old ones stay until their time
// is over.
func (c *exemplars) renew(read func() (*drawing, error)) error {
	var d *drawing
	err := fault.Contain(func() (err error) { d, err = read(); return err })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = false
	if err != nil {
		return err
	}
	c.drawn = d
	time.AfterFunc(exemplarLife, func() { c.drop(d) })
	return nil
}

// drop forgets exemplars.
func (c *exemplars) drop(d *drawing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drawn == d {
		c.drawn = nil
	}
}

// drawing is one reading of exemplars.
type drawing struct {
	candidates []*Candidate // their words are found: many goroutines may match them
	having     postings
	read       time.Time
	took       time.Duration

	mu    sync.Mutex
	bySeg map[segment]*lineup
}

func newDrawing(candidates []*Candidate) *drawing {
	return &drawing{candidates: candidates, having: newPostings(candidates), bySeg: map[segment]*lineup{}}
}

func (d *drawing) due() bool { return time.Since(d.read) > max(exemplarAge, sampleCost*d.took) }

// lineup is the exemplars of a segment by their places, ascending.
type lineup struct {
	places []place
	who    []int // the exemplar at each place
	at     []int // where each exemplar stands, -1 in another segment
}

// lineup returns that of a segment.
func (d *drawing) lineup(seg segment) *lineup {
	seg.order.Descending = false // the same tweets
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.bySeg[seg]; r != nil {
		return r
	}
	r := &lineup{at: make([]int, len(d.candidates))}
	places := make([]place, len(d.candidates))
	for i, c := range d.candidates {
		r.at[i] = -1
		if p := seg.order.positionOf(c.tweet); seg.only(&p) != nil {
			places[i], r.who = seg.place(p), append(r.who, i)
		}
	}
	slices.SortFunc(r.who, func(i, j int) int { return places[i].compare(places[j]) })
	for rank, i := range r.who {
		r.at[i], r.places = rank, append(r.places, places[i])
	}
	d.bySeg[seg] = r
	return r
}

// within returns between which ranks the exemplars of a stretch stand, the
// second one outside.
func (r *lineup) within(st stretch) (lo, hi int) {
	hi = len(r.places)
	if st.from != nil {
		lo, _ = slices.BinarySearchFunc(r.places, *st.from, place.compare)
	}
	if st.to != nil {
		hi, _ = slices.BinarySearchFunc(r.places, *st.to, func(p, to place) int {
			if p.compare(to) <= 0 {
				return -1
			}
			return 1
		})
	}
	return lo, max(lo, hi)
}

// sight is what exemplars tell of a question.
type sight struct {
	passed  int // exemplars that the walk met, until it had met enough matches
	matches int // among them
}

// enoughSeen matches tell the share of those around closely enough.
const enoughSeen = 12

// sight tries the exemplars in the order of a walk through a segment.
func (d *drawing) sight(p *Predicate, seg segment, reach stretch, down bool) sight {
	r := d.lineup(seg)
	lo, hi := r.within(reach)
	s := sight{passed: hi - lo}
	for _, rank := range d.likely(p, r, lo, hi, down) {
		if !p.Match(d.candidates[r.who[rank]]) {
			continue
		}
		if s.matches++; s.matches == enoughSeen {
			s.passed = rank - lo + 1
			if down {
				s.passed = hi - rank
			}
			break
		}
	}
	return s
}

// likely returns the ranks between two, in the order of a walk, at which an
// exemplar may match.
func (d *drawing) likely(p *Predicate, r *lineup, lo, hi int, down bool) []int {
	var ranks []int
	if some, known := d.having.of(p); known {
		for _, i := range some {
			if rank := r.at[i]; rank >= lo && rank < hi {
				ranks = append(ranks, rank)
			}
		}
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
	} else {
		for rank := lo; rank < hi; rank++ {
			ranks = append(ranks, rank)
		}
	}
	if down {
		slices.Reverse(ranks)
	}
	return ranks
}

// readExemplars draws exemplars from about so many tweets.
func (s *Store) readExemplars(ctx context.Context, tweets int) (*drawing, error) {
	began := time.Now()
	ids, err := s.drawIDs(ctx, tweets)
	if err != nil {
		return nil, fmt.Errorf("draw exemplars: %w", err)
	}
	var candidates []*Candidate
	for bite := range slices.Chunk(ids, exemplarBite) {
		found, err := s.Read(ctx, bite)
		if err != nil {
			return nil, fmt.Errorf("read exemplars: %w", err)
		}
		for _, t := range found {
			if c := NewCandidate(t); tweetBytes+saidBytes(t)+16*len(c.text()) <= exemplarBytes {
				candidates = append(candidates, c)
			}
		}
	}
	d := newDrawing(candidates)
	d.read, d.took = began, time.Since(began)
	return d, nil
}

// drawIDs returns the ids of some tweets of the sample, as they come. The fields
// that a FILTER names are in the rows; a LOAD of them opens every document and
// takes five times as long.
func (s *Store) drawIDs(ctx context.Context, tweets int) ([]string, error) {
	const prime = 10_007 // whatever the beat at which ids were made, it is another
	share := prime * exemplarCount / max(tweets/schema.SampleRate, exemplarCount)
	fields := []string{schema.FieldSeq, schema.FieldLo}
	filter := fmt.Sprintf("(@%s %% %d) < %d && @%s >= 0", fields[0], prime, share, fields[1])
	c := call{name: "FT.AGGREGATE", query: sampleClause, args: []string{"FILTER", filter, "LIMIT", "0", strconv.Itoa(maxExemplars)}, brief: true}
	read, err := send(ctx, s, nil, c, parsePlaces(fields))
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(read.rows))
	for i, at := range read.rows {
		ids[i] = strconv.FormatUint(schema.JoinNumber(uint64(at[0]), uint64(at[1])), 10)
	}
	return ids, nil
}

// Prepare reads now what guides the planner, which the first questions would
// have it read behind them. Answers are the same without it.
func (s *Store) Prepare(ctx context.Context) error {
	sample, err := s.samples.get(ctx, segment{order: Newest}, s.readSample)
	if err != nil {
		return err
	}
	return s.exemplars.renew(func() (*drawing, error) { return s.readExemplars(ctx, sample.tweets()) })
}
