package search_test

import (
	"testing"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestNegationsInUnions counts filters of the kind X ((A -B)|(C -D)), of which
// RediSearch loses rows when it is asked in that form.
func TestNegationsInUnions(t *testing.T) {
	client := open(t)
	store := search.New(client)
	w := newWorld(23, 3000)
	put(t, client, shuffled(w)...)
	word := func() string { return skewed(w, plain) }
	for range 1500 {
		f := &search.Filter{Langs: w.some(langs[:4], ""), Text: new(word() + " -" + word() + " OR " + word() + " -" + word())}
		if w.IntN(2) == 0 {
			side := func() *search.Filter {
				return &search.Filter{Hashtags: []string{skewed(w, tags)}, Not: &search.Filter{Types: []schema.TweetType{schema.TypeReply, schema.TypeQuote}[w.IntN(2):]}}
			}
			f.Text, f.Any = nil, []*search.Filter{side(), side()}
		}
		page, err := store.Tweets(deadline(t), search.Request{Filter: f, Order: search.Newest, Want: search.Want{Total: true}})
		if err != nil {
			t.Fatal(err)
		}
		if want := len(w.list(f, search.Newest)); page.Total != want {
			t.Fatalf("%s: total %d, want %d", describe(search.Request{Filter: f}), page.Total, want)
		}
	}
}

// TestCircles counts circles of all sizes, also at the poles and across 180°,
// alone, beside other parts and negated.
func TestCircles(t *testing.T) {
	client := open(t)
	store := search.New(client)
	w := newWorld(37, 2000)
	put(t, client, shuffled(w)...)
	for i := range 400 {
		p := w.point()
		near := &search.Filter{Near: &search.Circle{
			Latitude:  min(max(p.Latitude, -schema.MaxLatitude), schema.MaxLatitude),
			Longitude: min(max(p.Longitude, -180), 180),
			RadiusKm:  []float64{10, 100, 1000, 5000, 10_000, 15_000, 20_040}[w.IntN(7)] * (1 - w.Float64()/10),
		}}
		f := []*search.Filter{
			near, {Not: near}, {Langs: langs[:2], Not: near}, {Langs: langs[:2], Any: []*search.Filter{near, {Types: []schema.TweetType{schema.TypeReply}}}},
			{Not: &search.Filter{Langs: langs[:2], Not: near}},
		}[i%5]
		page, err := store.Tweets(deadline(t), search.Request{Filter: f, Order: search.Newest, Want: search.Want{Total: true}})
		if err != nil {
			t.Fatal(err)
		}
		if want := len(w.list(f, search.Newest)); page.Total != want {
			t.Fatalf("%s: total %d, want %d", describe(search.Request{Filter: f}), page.Total, want)
		}
	}
}
