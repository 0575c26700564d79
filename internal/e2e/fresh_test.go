package e2e

import (
	"slices"
	"testing"
	"time"

	"visualizer/schema"
)

// TestFresh: what was read is found soon, also while little comes and nothing
// fills a batch. At 5 tweets/s the newest is 100 ms old on average by itself.
func TestFresh(t *testing.T) {
	t.Parallel()
	cfg := settings(t.TempDir(), "sim")
	cfg.Rate = new(float64(5))
	l := start(t, cfg)
	var ages []time.Duration
	eventually(t, "a tweet is found", func() bool { _, found := l.age(); return found })
	tick := time.NewTicker(97 * time.Millisecond)
	defer tick.Stop()
	for range 40 {
		<-tick.C
		age, _ := l.age()
		ages = append(ages, age)
	}
	slices.Sort(ages)
	// The median, since a busy machine makes single ones late.
	if median := ages[len(ages)/2]; median > 400*time.Millisecond {
		t.Errorf("the newest tweet found is %v old at the median, %v at most", median, ages[len(ages)-1])
	}
}

// age is how long ago the newest tweet found was read.
func (l *line) age() (age time.Duration, found bool) {
	l.t.Helper()
	nodes := ask[struct {
		Tweets struct{ Nodes []struct{ ObservedAt string } }
	}](l, `{ tweets(first: 1) { nodes { observedAt } } }`, nil).Tweets.Nodes
	if len(nodes) == 0 {
		return 0, false
	}
	at, err := schema.ParseDateTime(nodes[0].ObservedAt)
	if err != nil {
		l.t.Fatal(err)
	}
	return time.Since(at.Go()), true
}
