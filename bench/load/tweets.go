package load

import (
	"slices"
	"strings"
	"time"

	"visualizer/ingest/sim"
	"visualizer/schema"
)

const (
	seed = 1
	// perSecond is how many tweets a second the world makes: a 1 % sample.
	perSecond = 50
)

// start is when the first tweet was made.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// tweets calls yield with the first n tweets of the world, oldest first, until
// it returns false. A larger n gives the same ones and more.
func tweets(n int, yield func(*schema.Tweet) bool) {
	// Each line is one new tweet, so that n of them are n documents.
	options := sim.DefaultOptions()
	options.Resend, options.Delete, options.Edit = 0, 0, 0
	var made *schema.Tweet
	options.Emitted = func(e sim.Emission) {
		if e.Kind == schema.KindTweet {
			made = e.Tweet
		}
	}
	world := sim.NewWorldWith(seed, options)
	var line []byte
	for i := range n {
		line = world.Next(line[:0], start.Add(time.Duration(i)*time.Second/perSecond))
		if !yield(made) {
			return
		}
	}
}

const (
	pageSize = 10
	samples  = 4000
)

// Facts are what is known of the tweets without asking Redis.
type Facts struct {
	// Newest are the ids of the newest page.
	Newest []string
	// Located are the first usernames, of a page, of the tweets with a point.
	Located []string
	// Sample are tweets at even distances, oldest first.
	Sample []*schema.Tweet
	// Hashtags counts tweets by folded hashtag.
	Hashtags map[string]int
	n        int
}

// add notes tweet i.
func (f *Facts) add(i int, t *schema.Tweet) {
	f.Newest = append(f.Newest, t.ID)
	if len(f.Newest) > 2*pageSize {
		f.Newest = slices.Delete(f.Newest, 0, pageSize)
	}
	if t.Location != nil && t.Author != nil && t.Author.Username != "" {
		f.Located = append(f.Located, schema.Fold(string(t.Author.Username)))
		slices.Sort(f.Located)
		f.Located = f.Located[:min(pageSize, len(f.Located))]
	}
	if i%max(f.n/samples, 1) == 0 {
		f.Sample = append(f.Sample, t)
	}
	for _, tag := range schema.FoldAll(t.Hashtags) {
		f.Hashtags[tag]++
	}
}

// finish puts the newest first.
func (f *Facts) finish() {
	slices.Reverse(f.Newest)
	f.Newest = f.Newest[:min(pageSize, len(f.Newest))]
}

// Hashtag returns the hashtag whose share of the tweets is nearest to this one.
func (f *Facts) Hashtag(share float64) string { return nearest(f.Hashtags, share*float64(f.n)) }

// Word returns the word whose share of the sample is nearest to this one.
func (f *Facts) Word(share float64) string {
	counts := map[string]int{}
	for _, t := range f.Sample {
		words := schema.Words(t.SearchText())
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			counts[w]++
		}
	}
	return nearest(counts, share*float64(len(f.Sample)))
}

// nearest returns the key whose count is nearest to the one wanted.
func nearest(counts map[string]int, wanted float64) string {
	best, distance := "", -1.0
	for key, n := range counts {
		d := max(wanted-float64(n), float64(n)-wanted)
		if distance < 0 || d < distance || d == distance && strings.Compare(key, best) < 0 {
			best, distance = key, d
		}
	}
	return best
}
