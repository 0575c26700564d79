package search

import (
	"crypto/sha256"
	"sync"
	"time"
)

// memory is what past answers told about questions. Like a sample it only
// guides the planner.
type memory struct {
	mu     sync.Mutex
	known  map[question]*learned
	depths map[entrance]depth
}

// question is a filter and a segment.
type question struct {
	filter string // digest of the canonical one
	seg    segment
}

// learned is what is known about a question.
type learned struct {
	at time.Time
	// share is how many of the tweets of the segment match, 0 to 1.
	share float64
	// matches is how many tweets match, when all were counted; else -1.
	matches int
}

// entrance is where a walk enters a segment: at a place or, when there is none,
// at its end.
type entrance struct {
	question
	at    place
	ended bool
	down  bool
}

// depth says that n tweets lie between an entrance and a place.
type depth struct {
	n    int
	to   place
	seen time.Time
}

// maxQuestions bounds the memory. When it is full, it begins anew: what is
// asked often is soon known again.
const maxQuestions = 20_000

// forgetAfter is when a count is too old to rely on.
const forgetAfter = 30 * time.Second

func (m *memory) get(q question) (learned, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.known[q]
	if !ok {
		return learned{}, false
	}
	return *l, time.Since(l.at) < forgetAfter
}

// learn changes what is known about a question.
func (m *memory) learn(q question, change func(*learned)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxQuestions {
		m.known = map[question]*learned{}
	}
	l, ok := m.known[q]
	if !ok || time.Since(l.at) >= forgetAfter {
		l = &learned{matches: -1}
		m.known[q] = l
	}
	l.at = time.Now()
	change(l)
}

// depthOf returns what is known about an entrance.
func (m *memory) depthOf(e entrance) (depth, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.depths[e]
	return d, ok && time.Since(d.seen) < forgetAfter
}

// setDepth notes how far the rows of a page reached.
func (m *memory) setDepth(e entrance, n int, to place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.depths == nil || len(m.depths) >= maxQuestions {
		m.depths = map[entrance]depth{}
	}
	m.depths[e] = depth{n, to, time.Now()}
}

// observe takes a new share into account: a small window says little.
func (l *learned) observe(share float64) {
	const weight = 0.3
	if l.share == 0 {
		l.share = share
		return
	}
	l.share += weight * (share - l.share)
}

// digest is a short name of a canonical filter, which may be as long as a
// request.
func digest(canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	return string(sum[:16])
}
