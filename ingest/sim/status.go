package sim

import (
	"slices"

	"visualizer/schema"
)

// status is one tweet of the world, as long as the world remembers it.
type status struct {
	id        uint64
	createdAt schema.Time
	author    int
	spoken    int    // index of its language in spoken
	lang      string // the code delivered, which may be an unspoken one
	source    string // "" is not delivered

	short content // data.text with its entities
	// long is the whole of a long post, of which short is the beginning.
	long content
	// subject is where the subject of the first sentence stands, in code
	// points; its topic is what the tweet is about.
	subject [2]int32
	topic   int

	conversation uint64
	replyTo      int // index of the author answered, or noOne
	refs         []reference
	history      []uint64 // ids of all versions, oldest first, this one last
	media        []medium
	place        int // index, or nowhere
	hasPoint     bool
	lat, lon     int64
	sensitive    bool
	withheld     string // country code, or ""

	counts  counts
	deleted bool
	// superseded says that a newer version was delivered.
	superseded bool
	// orphan says that the API can't find the author any more.
	orphan bool
}

const nowhere = -1

// reference names another tweet.
type reference struct {
	kind schema.ReferenceType
	id   uint64
}

// medium is an attached picture or film.
type medium struct {
	key  uint64
	kind mediaKind
	alt  int // index plus one of altTexts; 0 has none
}

type mediaKind int

const (
	photo mediaKind = iota
	video
	animation
)

var mediaNames = [...]string{"photo", "video", "animated_gif"}

// mediaPrefixes stand before the number in a media key.
var mediaPrefixes = [...]string{"3_", "7_", "16_"}

// counts are the public metrics. They never shrink.
type counts struct{ retweets, replies, likes, quotes, bookmarks, impressions int64 }

// reset empties s and keeps its memory.
func (s *status) reset() {
	s.short.reset()
	s.long.reset()
	*s = status{
		short: s.short, long: s.long, refs: s.refs[:0], history: s.history[:0], media: s.media[:0],
		replyTo: noOne, place: nowhere,
	}
}

// whole returns the text in its longest form.
func (s *status) whole() *content {
	if s.long.empty() {
		return &s.short
	}
	return &s.long
}

// original reports whether the tweet can be answered, quoted or retweeted.
func (s *status) original() bool { return s.alive() && !s.isRetweet() }

// alive reports whether the tweet was delivered and not deleted.
func (s *status) alive() bool { return s.made() && !s.deleted }

// made reports whether there is a tweet, whole: the one being composed could
// otherwise choose itself.
func (s *status) made() bool { return len(s.history) > 0 }

func (s *status) isRetweet() bool { return len(s.refs) > 0 && s.refs[0].kind == schema.Retweeted }

// memory is a ring of the last tweets. It bounds what the world knows, as the
// past of a sample is mostly unknown too.
type memory struct {
	ring []status
	next int
	byID map[uint64]int
	// hot are places in the ring of tweets that everybody retweets.
	hot []int
}

// hotTweets is how many tweets are popular at a time.
const hotTweets = 24

func newMemory(n int) memory {
	return memory{ring: make([]status, max(n, 2)), byID: make(map[uint64]int, n)}
}

// push forgets the oldest tweet and returns its place, empty.
func (m *memory) push() *status {
	s := &m.ring[m.next]
	delete(m.byID, s.id)
	s.reset()
	m.next = (m.next + 1) % len(m.ring)
	return s
}

// know makes s, which push returned last, findable.
func (m *memory) know(s *status) {
	m.byID[s.id] = (m.next + len(m.ring) - 1) % len(m.ring)
}

// find returns a remembered tweet that still exists, or nil.
func (m *memory) find(id uint64) *status {
	i, ok := m.byID[id]
	if !ok || m.ring[i].deleted {
		return nil
	}
	return &m.ring[i]
}

// makeHot lets the tweet that was pushed last be popular, instead of another.
func (m *memory) makeHot(at int) {
	i := (m.next + len(m.ring) - 1) % len(m.ring)
	if len(m.hot) < hotTweets {
		m.hot = append(m.hot, i)
		return
	}
	m.hot[at] = i
}

// tries is how often a random choice is repeated until it fits.
const tries = 6

// choose returns a remembered tweet that fits, or nil after some tries.
func (w *World) choose(fits func(*status) bool) *status {
	for range tries {
		if s := &w.memory.ring[w.rng.IntN(len(w.memory.ring))]; fits(s) {
			return s
		}
	}
	return nil
}

// popular returns a tweet to retweet: mostly one of the hot ones.
func (w *World) popular() *status {
	if hot := w.memory.hot; len(hot) > 0 && w.rng.IntN(5) > 1 {
		if s := &w.memory.ring[pick(w.rng, hot)]; s.original() {
			return s
		}
	}
	return w.choose((*status).original)
}

// versions returns the ids of the edit chain that s belongs to, as far as
// they are remembered.
func (w *World) versions(s *status) []uint64 {
	newest := s
	for i := range w.memory.ring {
		if o := &w.memory.ring[i]; o.id > newest.id && slices.Contains(o.history, s.id) {
			newest = o
		}
	}
	return newest.history
}
