package sim

import (
	"slices"
	"testing"

	"visualizer/schema"
)

// watch returns the lines of a world and what it said about them.
func watch(o Options, n int) ([]string, *Truth, []Emission) {
	truth, told := &Truth{}, []Emission(nil)
	o.Emitted = func(e Emission) {
		truth.Add(e)
		told = append(told, e)
	}
	return lines(NewWorldWith(21, o), n), truth, told
}

// What the world tells about itself must be what stands in the lines.
func TestTruthEqualsTheLines(t *testing.T) {
	o := small()
	o.Edit, o.Delete, o.Resend = 0.02, 0.05, 0.1
	all, truth, _ := watch(o, 4000)
	delivered, deleted, newest := map[string]int{}, map[string]bool{}, map[string]wireMetrics{}
	for _, line := range all {
		w := parse(t, line)
		switch {
		case w.Delete != nil:
			deleted[w.Delete.Status.IDStr] = true
		case w.Data.Delete != nil:
			deleted[w.Data.Delete.Tweet.ID] = true
		default:
			delivered[w.Data.ID]++
			newest[w.Data.ID] = *w.Data.Metrics
			for _, r := range w.Includes.Tweets {
				newest[r.ID] = *r.Metrics
			}
		}
	}
	for id, f := range truth.All {
		if f.Delivered != delivered[id] || deleted[id] && !f.Deleted || *f.Metrics.Likes != newest[id].Likes ||
			*f.Metrics.Impressions != newest[id].Impressions {
			t.Fatalf("%s: %+v, delivered %d times, deleted %v, metrics %+v", id, f, delivered[id], deleted[id], newest[id])
		}
		delete(delivered, id)
		delete(deleted, id)
	}
	if len(delivered)+len(deleted) != 0 {
		t.Errorf("the truth lacks tweets %v, notices %v", delivered, deleted)
	}
}

// A notice takes all versions of a tweet with it, and names one that was
// delivered before.
func TestDeletesTakeTheChain(t *testing.T) {
	o := small()
	o.Edit, o.Delete = 0.2, 0.1
	_, _, told := watch(o, 4000)
	history := map[string][]string{}
	chains := 0
	for _, e := range told {
		switch e.Kind {
		case schema.KindTweet:
			for _, id := range e.Tweet.EditHistoryIDs {
				if len(history[id]) < len(e.Tweet.EditHistoryIDs) {
					history[id] = e.Tweet.EditHistoryIDs
				}
			}
		case schema.KindDelete:
			if want := history[e.Deleted[0]]; !slices.Equal(e.Deleted, want) {
				t.Fatalf("deleted %v, want the whole chain %v", e.Deleted, want)
			}
			if len(e.Deleted) > 1 {
				chains++
			}
		}
	}
	if chains == 0 {
		t.Error("no edited tweet was deleted")
	}
}

func TestSuperseded(t *testing.T) {
	o := small()
	o.Edit = 0.1
	_, truth, _ := watch(o, 3000)
	found, older := 0, 0
	for id, f := range truth.All {
		if f.SupersededBy != "" {
			older++
			if newer, ok := truth.Get(f.SupersededBy); !ok || !slices.Contains(newer.Own.EditHistoryIDs, id) {
				t.Fatalf("%s is superseded by %s, which doesn't know it", id, f.SupersededBy)
			}
		}
		if f.Found() {
			found++
		}
	}
	if older < 100 || found != truth.Found() || found > 3000-older {
		t.Errorf("%d superseded, %d found of 3000, Found says %d", older, found, truth.Found())
	}
}

// Garbage is told with the reason that a reader must give, and changes nothing
// else.
func TestGarbage(t *testing.T) {
	o := small()
	o.Garbage = 0.3
	_, truth, told := watch(o, 2000)
	reasons := map[schema.Reason]int{}
	for _, e := range told {
		if e.Kind == schema.KindControl {
			reasons[e.Reason]++
		}
	}
	if reasons[schema.BadJSON] < 100 || reasons[schema.NotTweet] < 30 || reasons[schema.InvalidTweet] < 30 {
		t.Errorf("reasons %v", reasons)
	}
	if truth.Garbage < 500 || truth.Garbage > 700 {
		t.Errorf("%d lines of garbage", truth.Garbage)
	}
}

func TestTruthIsBounded(t *testing.T) {
	truth := &Truth{Max: 100}
	o := small()
	o.Emitted = truth.Add
	lines(NewWorldWith(22, o), 3000)
	if n := len(truth.tweets); n != 100 || cap(truth.order) > 1000 {
		t.Errorf("%d tweets remembered in a list of %d", n, cap(truth.order))
	}
	for id := range truth.All {
		if _, ok := truth.Get(id); !ok {
			t.Errorf("%s is listed but not known", id)
		}
	}
}
