package sim

import (
	"strconv"

	"visualizer/schema"
)

// Emission is one thing that a line delivered, told by the world that made it
// and not by a decoder.
type Emission struct {
	// Kind is KindTweet, KindReferenced (a tweet that stood beside another) or
	// KindDelete; KindControl is a line of garbage.
	Kind schema.Kind
	// Tweet of KindTweet and KindReferenced, as this line told it: what the
	// line left out is absent. ObservedAt is not set. It is the receiver's.
	Tweet *schema.Tweet
	// Deleted are the ids that a notice removes: the one it names and, since
	// they go with it, the other known versions of that tweet.
	Deleted []string
	// Reason of KindControl: how a reader must set the line aside.
	Reason schema.Reason
}

// Truth remembers what became of the tweets that a world emitted. Pass its Add
// as Options.Emitted. It belongs to the goroutine that the world belongs to: of
// a Server's world, read it when Done is closed or Listen's stop has returned.
type Truth struct {
	// Max is how many tweets are remembered; the ones told first are forgotten
	// first. 0 remembers all.
	Max int

	tweets map[string]*Fate
	order  []string // ids as they were first told
	first  int      // of order
	// Resent, Deletes and Garbage count the lines that were no new tweet.
	Resent, Deletes, Garbage int
}

// Fate is what became of one tweet.
type Fate struct {
	// Own is the tweet as it last came in its own right; nil if it never did.
	Own *schema.Tweet
	// Beside is the tweet as it last stood beside another; nil if it never did.
	Beside *schema.Tweet
	// Metrics are the newest told, either way.
	Metrics schema.Metrics
	// Delivered is how often it came in its own right.
	Delivered    int
	Deleted      bool
	SupersededBy string
}

// Found reports whether a search must find the tweet.
func (f *Fate) Found() bool { return f.Delivered > 0 && !f.Deleted && f.SupersededBy == "" }

// Add takes note of e.
func (t *Truth) Add(e Emission) {
	switch e.Kind {
	case schema.KindControl:
		t.Garbage++
	case schema.KindDelete:
		t.Deletes++
		for _, id := range e.Deleted {
			t.of(id).Deleted = true
		}
	case schema.KindTweet, schema.KindReferenced:
		t.addTweet(e.Kind, e.Tweet)
	}
}

func (t *Truth) addTweet(kind schema.Kind, tweet *schema.Tweet) {
	f := t.of(tweet.ID)
	f.Metrics = tweet.Metrics
	if kind == schema.KindReferenced {
		f.Beside = tweet
		return
	}
	f.Own = tweet
	if f.Delivered++; f.Delivered > 1 {
		t.Resent++
		return
	}
	for _, id := range tweet.EditHistoryIDs {
		if old := t.of(id); id != tweet.ID && schema.CompareID(old.SupersededBy, tweet.ID) < 0 {
			old.SupersededBy = tweet.ID
		}
	}
}

// Get returns what became of a tweet.
func (t *Truth) Get(id string) (*Fate, bool) {
	f, ok := t.tweets[id]
	return f, ok
}

// All yields every remembered tweet that was told, in its own right or beside
// another, in the order of telling.
func (t *Truth) All(yield func(string, *Fate) bool) {
	for _, id := range t.order[t.first:] {
		if f := t.tweets[id]; (f.Own != nil || f.Beside != nil) && !yield(id, f) {
			return
		}
	}
}

// Found counts the tweets that a search without filter must find.
func (t *Truth) Found() int {
	n := 0
	for _, f := range t.tweets {
		if f.Found() {
			n++
		}
	}
	return n
}

func (t *Truth) of(id string) *Fate {
	if f, ok := t.tweets[id]; ok {
		return f
	}
	if t.tweets == nil {
		t.tweets = make(map[string]*Fate)
	}
	f := &Fate{}
	t.tweets[id] = f
	t.order = append(t.order, id)
	t.forget()
	return f
}

// forget keeps the bound. The list of ids is moved down once half of it is
// forgotten, so that it is bounded too.
func (t *Truth) forget() {
	if t.Max == 0 || len(t.order)-t.first <= t.Max {
		return
	}
	delete(t.tweets, t.order[t.first])
	if t.first++; t.first > t.Max {
		t.order, t.first = append([]string(nil), t.order[t.first:]...), 0
	}
}

// emit tells what the line e delivers, when somebody listens.
func (w *World) emit(e *envelope) {
	if w.opts.Emitted == nil {
		return
	}
	w.opts.Emitted(Emission{Kind: schema.KindTweet, Tweet: w.told(e, e.main)})
	if e.beside != nil {
		w.opts.Emitted(Emission{Kind: schema.KindReferenced, Tweet: w.told(e, e.beside)})
	}
}

func formatID(id uint64) string { return strconv.FormatUint(id, 10) }

func formatIDs(ids []uint64) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = formatID(id)
	}
	return out
}
