package ingest

import (
	"slices"
	"strconv"

	"visualizer/schema"
)

// refusal is a document that Redis would not store.
type refusal struct {
	failed
	place uint64 // of its newest observation
	// counted is the field of the status under which its transaction has counted
	// it; "" when this run has not.
	counted string
	// again: its transaction was executed before, by who may have lived to keep a
	// letter of it.
	again bool
}

// failed is a document whose command failed.
type failed struct {
	document
	err error
}

// refusals tells of documents of a plan that were refused; events are the plan's.
func (p *plan) refusals(documents []failed, events []work) []refusal {
	var refused []refusal
	for _, f := range documents {
		r := refusal{failed: f, place: p.docs[f.id].Ranks.Top.Place, again: p.again[f.id]}
		if slices.ContainsFunc(events, func(w work) bool {
			return w.event.Kind == schema.KindTweet && w.event.Tweet.ID == f.id && !(r.again && w.leftover)
		}) {
			r.counted = p.countedAs(f.id)
		}
		refused = append(refused, r)
	}
	return refused
}

// countedAs is what a tweet of the plan is counted as; see tweet.
func (p *plan) countedAs(id string) string {
	switch was := p.read[id]; {
	case was == nil || !was.Own:
		return schema.StatusStored
	case p.stands(id):
		return schema.StatusDuplicates
	}
	return schema.StatusUpdated
}

// refused sets aside what Redis would not store, one document by one. Who is killed
// before has not acked the message: its next delivery finds what is not stored, and
// comes here again. Its letter has the same id, so that it is there once.
func (w *Writer) refused(refused []refusal) error {
	for _, r := range refused {
		w.log.Warn("set a tweet aside", "id", r.id, "err", r.err)
		letter := schema.DeadLetter{Reason: schema.Refused, Source: schema.TweetKey(r.id), Error: r.err.Error(), Raw: r.json, Size: len(r.json)}
		known, err := w.letters("refused-"+r.id+"-"+strconv.FormatUint(r.place, 36), letter, r.again)
		if err != nil {
			return err
		}
		if r.counted != "" && !(r.again && known) { // now it is rejected instead
			w.tally.add(r.counted, -1)
			w.tally.add(schema.StatusPublished, -1)
		}
	}
	return nil
}
