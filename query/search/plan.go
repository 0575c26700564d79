package search

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"visualizer/schema"
)

// The planner decides how much of a segment's keys a query needs to look at: a
// sort takes time with the number of matches, and a page needs few of them. It
// reads a window of keys from the walk's start, and a wider one when that holds
// too few tweets. All of a window's matches come before all others on the walk,
// so a page that a window fills is the page, however the window was guessed.

// Kind is a way to read rows.
type Kind string

// The kinds of steps.
const (
	KindWindow Kind = "window" // FT.SEARCH of a window of keys
	KindWhole  Kind = "whole"  // FT.SEARCH of all matches up to the walk's ends
	KindRare   Kind = "rare"   // all matches, which are few, whatever the walk's ends
	KindTies   Kind = "ties"   // FT.AGGREGATE in a window, because of equal keys
	KindOffset Kind = "offset" // FT.AGGREGATE of all matches behind an offset
	KindTotal  Kind = "total"  // their number alone
	KindProbe  Kind = "probe"  // where the matches among the sample are
)

// Plan is what was done for a page. It may be shown to a developer.
type Plan struct {
	mu    sync.Mutex
	steps []Step
}

// Steps returns the commands that were sent, in the order of their ends.
func (p *Plan) Steps() []Step {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.steps)
}

// newStepMetric counts the planner's commands.
func newStepMetric() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "visualizer_query_plan_steps_total",
		Help: "Searches sent to Redis by kind: window of keys, whole, rare, ties, offset, probe of the sample, total.",
	}, []string{"kind"})
}

// Metrics counts the searches by kind.
func (s *Store) Metrics() prometheus.Collector { return s.steps }

// note adds a step to a list's plan that has just ended.
func (s *Store) note(l *list, step Step, began time.Time) {
	step.Took = float64(time.Since(began).Microseconds()) / 1000
	s.steps.WithLabelValues(string(step.Kind)).Inc()
	l.plan.mu.Lock()
	defer l.plan.mu.Unlock()
	l.plan.steps = append(l.plan.steps, step)
}

// Step is one command.
type Step struct {
	Kind  Kind   `json:"kind"`
	Query string `json:"query"`
	// Tweets is how many tweets the window was guessed to hold; 0 is all.
	Tweets int `json:"tweets,omitzero"`
	// Matches is how many tweets the command found.
	Matches int `json:"matches"`
	// Took is in milliseconds, with the way to Redis and back.
	Took float64 `json:"took"`
}

// tuning are the planner's measures. None of them can make an answer wrong.
type tuning struct {
	// firstWindow is how many tweets the window of a new question holds, at
	// least.
	firstWindow int
	// spread is by how many standard deviations a window should hold more
	// matches than are needed.
	spread float64
	// widen bounds by how much a window grows at once.
	widen int
}

func defaultTuning() tuning {
	return tuning{firstWindow: 512, spread: 3, widen: 16}
}

// passage is one reading of a segment along a walk.
type passage struct {
	store *Store
	list  *list
	walk  walk
	seg   segment
	n     int

	reach  stretch // what the filter and the walk leave of the segment
	sample *sample
	known  learned
	fresh  bool // known is recent
}

// found is what a step read.
type found struct {
	rows    []*schema.Tweet // at most n
	matches int
	// all: there is nothing else on the walk, in no segment.
	all bool
}

// planned returns the first n tweets of a walk in a segment. all says that they
// are the first n of what is left of the walk at all.
func (s *Store) planned(ctx context.Context, l *list, w walk, seg segment, n int) (found, error) {
	p := passage{store: s, list: l, walk: w, seg: seg, n: n, reach: w.stretch(seg).and(l.hull(seg))}
	if p.reach.empty() {
		return found{}, nil
	}
	p.known, p.fresh = s.memory.get(l.question(seg))
	if p.fresh && p.known.matches >= 0 && p.known.matches <= fewMatches {
		return p.rare(ctx)
	}
	var err error
	if p.sample, err = s.samples.get(ctx, seg, s.readSample); err != nil {
		return found{}, err
	}
	return p.read(ctx)
}

// fewMatches are read as a whole whatever else is known.
const fewMatches = 200

func (p *passage) read(ctx context.Context) (found, error) {
	if p.fresh && p.known.matches >= 0 && p.isRare(p.known.matches) {
		return p.rare(ctx)
	}
	if d, known := p.store.memory.depthOf(p.entrance()); known && d.n >= p.n {
		f, err := p.window(ctx, d.to, 0)
		if err != nil || len(f.rows) == p.n {
			return f, err
		}
	}
	return p.widening(ctx)
}

// isRare reports whether reading all of so many matches is cheaper than a
// window with enough of them: the one costs about their number, the other
// the number of tweets between them, which are weighed one to four.
func (p *passage) isRare(matches int) bool {
	return float64(matches)*float64(matches) < float64(p.n)*float64(p.sample.tweets())/4
}

// entrance is where the walk enters the segment.
func (p *passage) entrance() entrance {
	e := entrance{question: p.list.question(p.seg), ended: true, down: p.walk.descending()}
	if start := p.start(); start != nil {
		e.at, e.ended = *start, false
	}
	return e
}

// fromEnd reports whether the walk enters the segment at its end and goes on
// to the other one.
func (p *passage) fromEnd() bool {
	return p.seg.only(p.walk.from) == nil && p.seg.only(p.walk.to) == nil
}

// widening reads one window after the other, each wider than the one before,
// until one fills the page.
func (p *passage) widening(ctx context.Context) (found, error) {
	tweets := p.guess()
	if tweets == 0 {
		return p.rare(ctx)
	}
	for again := false; ; again = true {
		to, inside := p.far(tweets)
		if !inside {
			return p.whole(ctx)
		}
		f, err := p.window(ctx, to, tweets)
		if err != nil || len(f.rows) == p.n {
			return f, err
		}
		if again || f.matches == 0 {
			return p.probing(ctx)
		}
		share := float64(f.matches) / float64(tweets)
		tweets = min(max(p.enough(share), 4*tweets), p.store.tuning.widen*tweets)
	}
}

// guess returns how many tweets the first window is to hold, 0 when it is
// better to read all matches, because the exemplars say that they are few. Of a
// question that was never asked no window is narrower than one of which nothing
// is known: it would take as long.
func (p *passage) guess() int {
	if p.fresh && p.known.share > 0 {
		return p.enough(p.known.share)
	}
	d := p.exemplars()
	if d == nil {
		return p.store.tuning.firstWindow
	}
	s := d.sight(p.list.predicate, p.seg, p.reach, p.walk.descending())
	if s.matches == 0 {
		return 0
	}
	share := float64(s.matches) / float64(s.passed)
	if p.isRare(int(share * float64(p.sample.tweets()))) {
		return 0
	}
	return max(p.enough(share), p.store.tuning.firstWindow)
}

// exemplars returns the present ones, nil when there are none.
func (p *passage) exemplars() *drawing {
	tweets := p.sample.tweets()
	return p.store.exemplars.get(func() (*drawing, error) {
		ctx, cancel := context.WithTimeout(context.Background(), sampleTime)
		defer cancel()
		return p.store.readExemplars(ctx, tweets)
	})
}

// far returns the place about so many tweets away, false when a window up to
// there would be the whole.
func (p *passage) far(tweets int) (place, bool) {
	to, inside := p.sample.reach(p.start(), p.walk.descending(), max(tweets, p.seg.grain()))
	return to, inside && !p.upTo(to).covers(p.reach)
}

// probing looks where the matches are and reads as far, unless all of them are
// likely to cost less.
func (p *passage) probing(ctx context.Context) (found, error) {
	seen, err := p.probe(ctx)
	if err != nil {
		return found{}, err
	}
	if seen.matches < enoughProbed {
		return p.rare(ctx)
	}
	st := p.upTo(seen.to)
	if st.covers(p.reach) || seen.matches*schema.SampleRate*wholeCost < p.sample.between(st) {
		return p.whole(ctx)
	}
	f, err := p.window(ctx, seen.to, 0)
	if err != nil || len(f.rows) == p.n {
		return f, err
	}
	return p.whole(ctx)
}

const (
	// enoughProbed matches of the sample: some three times schema.SampleRate
	// matches lie up to there, which is seldom less than a page.
	enoughProbed = 3
	// wholeCost is what a match of the whole costs, a tweet in a window being 1.
	wholeCost = 16
)

// probe is what the sample tells of a question.
type probe struct {
	to      place // of match number enoughProbed on the walk
	matches int   // among the sample, on the walk
}

// probe looks at the matches among the sample on the walk.
func (p *passage) probe(ctx context.Context) (probe, error) {
	narrow := p.seg.narrow(stretch{})
	narrow[0].clauses = append(narrow[0].clauses, clause{text: sampleClause})
	query, possible := p.list.query(narrow...)
	if !possible {
		return probe{}, nil
	}
	c := ordered(query, p.walk, p.seg, 0, enoughProbed)
	c.args, c.brief = c.args[:len(c.args)-len(loadTweet)], true
	began := time.Now()
	read, err := send(ctx, p.store, p.list.params, c, parsePlaces(p.seg.keyFields()))
	p.store.note(p.list, Step{Kind: KindProbe, Query: query, Matches: read.total}, began)
	if err != nil || len(read.rows) < enoughProbed {
		return probe{matches: len(read.rows)}, err
	}
	return probe{to: read.rows[enoughProbed-1], matches: max(read.total, enoughProbed)}, nil
}

// enough returns how many tweets a window must hold, of which a share matches,
// so that it seldom holds too few matches.
func (p *passage) enough(share float64) int {
	n := float64(p.n)
	return int(min((n+p.store.tuning.spread*math.Sqrt(n)+2)/share, 1<<40))
}

// start is the place at which the walk enters what it may reach, nil at the
// segment's end.
func (p *passage) start() *place {
	if p.walk.descending() {
		return p.reach.to
	}
	return p.reach.from
}

// upTo returns what lies between the walk's start and a place.
func (p *passage) upTo(to place) stretch {
	if p.walk.descending() {
		return p.reach.and(stretch{from: &to})
	}
	return p.reach.and(stretch{to: &to})
}

// window reads the tweets between the walk's start and a place, which are about
// as many as tweets says, 0 when nobody knows.
func (p *passage) window(ctx context.Context, to place, tweets int) (found, error) {
	st := p.rounded(p.upTo(to))
	f, err := p.rows(ctx, KindWindow, st, tweets)
	if err == nil && len(f.rows) == p.n {
		p.learn(f, max(tweets, p.sample.between(st)))
	}
	return f, err
}

// whole reads all that the walk may reach.
func (p *passage) whole(ctx context.Context) (found, error) {
	f, err := p.rows(ctx, KindWhole, p.rounded(p.walk.stretch(p.seg)), 0)
	if err == nil {
		p.counted(f.matches)
	}
	return f, err
}

// rounded returns a stretch as a query is to have it. What it holds more, the
// walk leaves out.
func (p *passage) rounded(st stretch) stretch {
	if !p.seg.tied() {
		return st
	}
	return st.rounded(p.sample)
}

// rare reads a filter's matches without regard to the walk's ends: a range of
// keys that few of the matches are in costs more than the matches.
func (p *passage) rare(ctx context.Context) (found, error) {
	fitsPage := p.fresh && p.known.matches >= 0 && p.known.matches <= p.n
	if !p.fromEnd() && !fitsPage {
		return p.ordered(ctx, KindRare, stretch{})
	}
	f, err := p.rows(ctx, KindRare, stretch{}, 0)
	if err == nil {
		p.counted(f.matches)
	}
	return f, err
}

// counted notes how many tweets of the segment match, when the walk passed all
// of it.
func (p *passage) counted(matches int) {
	if !p.fromEnd() {
		return
	}
	p.store.memory.learn(p.list.question(p.seg), func(l *learned) {
		l.matches = matches
		if p.sample != nil && p.sample.tweets() > 0 {
			l.share = min(float64(matches)/float64(p.sample.tweets()), 1)
		}
	})
}

// learn notes how dense the matches are and how far the page's rows reached.
func (p *passage) learn(f found, tweets int) {
	p.store.memory.learn(p.list.question(p.seg), func(l *learned) {
		l.observe(min(float64(f.matches)/float64(max(tweets, 1)), 1))
	})
	last := p.list.order.positionOf(f.rows[len(f.rows)-1])
	p.store.memory.setDepth(p.entrance(), len(f.rows), p.seg.place(last))
}
