package sim

import (
	"math/rand/v2"
	"time"

	"visualizer/schema"
)

// Options shape a world. A share is of the tweets made: 0.05 is one in twenty.
// Start from DefaultOptions.
type Options struct {
	Authors int // about so many; each language has one at least
	// Recent is how many tweets are remembered, to be answered, delivered
	// again, edited or deleted. The memory a world needs grows with it alone.
	Recent int

	// These shares say what a tweet is; the rest are originals.
	Edit, Retweet, Reply, Quote float64
	Long                        float64 // of those written: more than 280 characters
	Geo                         float64 // of those written: with a point

	// These shares say what is delivered besides: a remembered tweet again with
	// larger metrics, a notice that one was deleted, a line of garbage.
	Resend, Delete, Garbage float64

	// CreatedAtMillis shows created_at to the millisecond; the API cuts it to
	// the second.
	CreatedAtMillis bool
	// Clump is how many tweets one millisecond makes, whatever time they are
	// asked for; 0 or 1 lets each have its own.
	Clump int

	// Emitted is told everything that is delivered, before Next returns. It
	// costs as much again as making the tweets.
	Emitted func(Emission)
}

// DefaultOptions are those of an ordinary day.
func DefaultOptions() Options {
	return Options{
		Authors: 20_000, Recent: 8192,
		Edit: 0.005, Retweet: 0.35, Reply: 0.2, Quote: 0.06, Long: 0.015, Geo: 0.07,
		Resend: 0.05, Delete: 0.01,
	}
}

// World makes tweets. The same seed, options and times give the same bytes. It
// is for one goroutine at a time.
type World struct {
	opts     Options
	rng      *rand.Rand
	langs    zipf // sums of the shares of spoken, then of unspoken
	people   people
	places   []place
	tags     tagbook
	hosts    zipf
	memory   memory
	lineEnd  string
	out      buffer
	env      envelope
	now      schema.Time
	last     schema.Time // millisecond of the newest id
	sequence uint32      // its part below the time
	clump    int         // tweets made in it
}

// NewWorld returns an ordinary world.
func NewWorld(seed uint64) *World { return NewWorldWith(seed, DefaultOptions()) }

// NewWorldWith returns a world with options.
func NewWorldWith(seed uint64, o Options) *World {
	const stream = 0x7477656574 // any constant; it only has to stay
	r := rand.New(rand.NewPCG(seed, stream))
	places := newPlaces(r)
	return &World{
		opts:    o,
		rng:     r,
		langs:   languageShares(),
		people:  newPeople(r, o.Authors, places),
		places:  places,
		tags:    newTagbook(r),
		hosts:   newZipf(len(hostWords), 1),
		memory:  newMemory(o.Recent),
		lineEnd: lineEnd,
		now:     schema.TimeOf(genesis),
	}
}

// genesis is the earliest time of a world: by then all its authors are born,
// and ids are snowflakes.
var genesis = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)

func languageShares() zipf {
	var z zipf
	var sum uint64
	add := func(share int) {
		sum += uint64(share)
		z = append(z, sum)
	}
	for i := range spoken {
		add(spoken[i].share)
	}
	for _, u := range unspoken {
		add(u.share)
	}
	return z
}

// Next makes one tweet at a time and appends its line to dst, followed now and
// then by other lines, as the shares of the options say. Each line, but for
// garbage, is one JSON object, and ends with "\r\n". A time before that of the call before counts as
// that, one before 2021 as 2021.
func (w *World) Next(dst []byte, at time.Time) []byte {
	w.out.b = dst
	w.now = max(w.now, schema.TimeOf(at))
	w.deliver(w.compose())
	if w.chance(w.opts.Resend) {
		// A deleted one too: a backfill knows nothing of the notice.
		if s := w.choose((*status).made); s != nil {
			w.grow(s)
			w.deliver(s)
		}
	}
	if w.chance(w.opts.Delete) {
		w.remove()
	}
	if w.chance(w.opts.Garbage) {
		w.garbage()
	}
	dst, w.out.b = w.out.b, nil
	return dst
}

// deliver appends the line of s.
func (w *World) deliver(s *status) {
	e := w.gather(s)
	w.envelope(e)
	w.emit(e)
}

const (
	sequenceStart = 1 << 12 // a millisecond's first id is below this
	sequenceStep  = 64      // the next ones are at most so far apart
	sequenceEnd   = 1 << 22
)

// stamp returns the id of a new tweet, larger than all before, and the
// millisecond it stands for.
func (w *World) stamp() (uint64, schema.Time) {
	w.clump++
	switch {
	case w.clump < w.opts.Clump && w.sequence > 0, w.now <= w.last:
		w.sequence += 1 + w.rng.Uint32N(sequenceStep)
		if w.sequence < sequenceEnd {
			break
		}
		w.now = w.last + 1 // the millisecond is full
		fallthrough
	default:
		w.last, w.sequence, w.clump = w.now, 1+w.rng.Uint32N(sequenceStart), 0
	}
	id, _ := schema.ParseID(schema.Snowflake(w.last, w.sequence))
	return id, w.last
}
