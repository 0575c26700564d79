package ingest

import (
	"hash/fnv"

	"visualizer/schema"
)

// work is one event with its place in the stream.
type work struct {
	event *schema.Event
	place uint64
	// leftover: an earlier run of the line published it, so that this run has
	// not counted it yet.
	leftover bool
}

// kindTouch is of events that the writer makes itself: the document of
// Notice.TweetID is to be made what the notices that hold for it and the present
// index definition ask for.
const kindTouch schema.Kind = "touch"

func touch(id string) work {
	return work{event: &schema.Event{Kind: kindTouch, Notice: &schema.Notice{TweetID: schema.Opt(id)}}}
}

// exclusive reports whether the event can change what other lanes' tweets
// become: a delete or a tweet with an edit history concerns several tweets, a
// notice about a user all of the user's. Such an event holds all lanes.
func (w work) exclusive() bool {
	if w.event.Tweet != nil {
		return len(w.event.Tweet.EditHistoryIDs) > 1
	}
	return w.event.Kind != kindTouch
}

// lane is where all events about a tweet go, but for exclusive ones.
func (w work) lane(lanes int) int {
	h := fnv.New32a()
	h.Write([]byte(w.ids()[0]))
	return int(h.Sum32() % uint32(lanes))
}

// ids are the tweets one must know of to apply the event, its own first.
func (w work) ids() []string {
	if t := w.event.Tweet; t != nil {
		return append([]string{t.ID}, t.EditHistoryIDs...)
	}
	if w.sweeps() || w.event.Notice.TweetID == "" {
		return nil
	}
	return []string{string(w.event.Notice.TweetID)}
}

// users are the users whose notices one must know of.
func (w work) users() []string {
	switch {
	case w.event.Tweet != nil && w.event.Tweet.Author != nil:
		return []string{w.event.Tweet.Author.ID}
	case w.sweeps():
		return []string{string(w.event.Notice.UserID)}
	}
	return nil
}

// sweeps reports whether the event is a notice about all tweets of a user.
func (w work) sweeps() bool {
	return w.event.Kind == schema.KindScrubGeo || w.event.Kind == schema.KindWithheld && w.event.Notice.TweetID == ""
}
