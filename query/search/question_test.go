package search_test

import (
	"fmt"
	"slices"

	"visualizer/query/search"
	"visualizer/schema"
)

// filter picks a random filter; most parts come from the world, so that it
// matches something.
func (w *world) filter(depth int) *search.Filter {
	f := &search.Filter{}
	parts := []func(*search.Filter){w.askIDs, w.askPeople, w.askTags, w.askText, w.askText, w.askText, w.askTime, w.askKind, w.askPlace, w.askCounters}
	for range w.IntN(3) {
		parts[w.IntN(len(parts))](f)
	}
	if depth < 3 && w.IntN(4) == 0 {
		f.Any = []*search.Filter{}
		for range w.IntN(4) {
			f.Any = append(f.Any, w.filter(depth+1))
		}
	}
	if depth < 3 && w.IntN(5) == 0 {
		f.Not = w.filter(depth + 1)
	}
	return f
}

// asksText reports whether a text stands anywhere in a filter.
func asksText(f *search.Filter) bool {
	return f != nil && (f.Text != nil || asksText(f.Not) || slices.ContainsFunc(f.Any, asksText))
}

// plain are words that many texts hold.
var plain = []string{"the", "kelp", "forest", "or", "café", "a", "b", "universe"}

// tooMany reports whether a random filter is more than one may ask.
func tooMany(f *search.Filter) bool { return f.Check() != nil }

func (w *world) askIDs(f *search.Filter) {
	f.IDs = []string{}
	for range w.IntN(60) {
		f.IDs = append(f.IDs, w.any().ID)
	}
	f.IDs = append(f.IDs, "x", "0", "01", "99999999999999999999")
}

func (w *world) askPeople(f *search.Filter) {
	switch w.IntN(3) {
	case 0:
		for range w.IntN(12) {
			f.AuthorIDs = append(f.AuthorIDs, fmt.Sprint(9_900_000_000+w.IntN(45)))
		}
		f.AuthorIDs = append(f.AuthorIDs, "nobody")
	case 1:
		f.Usernames = w.some(usernames, "@")
	default:
		f.Mentions = w.some(usernames, "@")
	}
}

func (w *world) askTags(f *search.Filter) {
	switch w.IntN(7) {
	case 0, 1:
		f.Hashtags = w.some(tags, "#")
	case 2:
		f.AllHashtags = w.some(tags[:8], "#")
	case 3:
		f.Langs = w.some(langs, "")
	case 4:
		f.Sources = w.some(sources, "")
	case 5:
		f.ConversationID = new(skewed(w, conversations))
	default:
		f.AllHashtags = []string{}
	}
}

// askText mixes words of the world with every operator.
func (w *world) askText(f *search.Filter) {
	if w.IntN(4) == 0 {
		f.Text = new(skewed(w, plain) + " -" + skewed(w, plain) + " OR " + skewed(w, plain) + " -" + skewed(w, plain))
		return
	}
	text := ""
	for range 1 + w.IntN(3) {
		word := skewed(w, texts)
		if r := []rune(word); len(r) > 3 && w.IntN(4) == 0 {
			word = string(r[:3+w.IntN(len(r)-3)]) + "*"
		}
		switch w.IntN(8) {
		case 0:
			word = "-" + word
		case 1:
			word = `"` + word + " " + skewed(w, texts) + `"`
		case 2:
			word = "OR " + word
		}
		text += word + " "
	}
	if probe := (&search.Filter{Text: &text}); probe.Check() == nil {
		f.Text = &text
	}
}

func (w *world) askTime(f *search.Filter) {
	if w.IntN(2) == 0 {
		f.Since = w.moment()
	}
	if w.IntN(2) == 0 {
		f.Until = w.moment()
	}
	if f.Since != nil && f.Until != nil && *f.Since > *f.Until {
		f.Since, f.Until = f.Until, f.Since
	}
}

// moment is often exactly that of a tweet, where inclusive and exclusive
// differ.
func (w *world) moment() *schema.Time {
	at := worldStart + schema.Time(w.IntN(600_000))
	if t := w.any(); w.IntN(2) == 0 && t.CreatedAt != nil {
		at = *t.CreatedAt
	}
	return &at
}

func (w *world) askKind(f *search.Filter) {
	switch w.IntN(6) {
	case 0, 1:
		all := []schema.TweetType{schema.TypeOriginal, schema.TypeReply, schema.TypeRetweet, schema.TypeQuote}
		f.Types = all[w.IntN(2) : 2+w.IntN(3)]
	case 2:
		f.HasMedia = new(w.IntN(2) == 0)
	case 3:
		f.HasLinks = new(w.IntN(2) == 0)
	case 4:
		f.HasLocation = new(w.IntN(2) == 0)
	default:
		f.LinkHosts = w.some(links, "")
	}
}

func (w *world) askPlace(f *search.Filter) {
	p := w.point()
	p.Latitude = min(max(p.Latitude, -schema.MaxLatitude), schema.MaxLatitude)
	p.Longitude = min(max(p.Longitude, -180), 180)
	switch w.IntN(5) {
	case 0:
		f.CountryCodes = w.some(countries, "")
	case 1, 2:
		radii := []float64{0.001, 1, 10, 100, 1000, 5000, 10_000, 15_000, 20_015, 20_040}
		f.Near = &search.Circle{Latitude: p.Latitude, Longitude: p.Longitude, RadiusKm: radii[w.IntN(len(radii))] * (1 - w.Float64()/10)}
	default:
		f.Within = w.box(p)
	}
}

// box often has a tweet's own coordinates as its edges.
func (w *world) box(p schema.Location) *search.Box {
	q := w.point()
	if l := w.any().Location; l != nil {
		q = *l
	}
	edges := []float64{-180, 180, p.Longitude, q.Longitude}
	return &search.Box{
		South: min(p.Latitude, q.Latitude), North: max(p.Latitude, q.Latitude),
		West: min(max(edges[w.IntN(4)], -180), 180), East: min(max(edges[w.IntN(4)], -180), 180),
	}
}

func (w *world) askCounters(f *search.Filter) {
	least := int64(w.IntN(60))
	if w.IntN(8) == 0 {
		least = skewed(w, enormous)
	}
	[]func(){func() { f.MinLikes = &least }, func() { f.MinRetweets = &least }, func() { f.MinReplies = &least },
		func() { f.MinQuotes = &least }, func() { f.MinImpressions = &least }}[w.IntN(5)]()
}

func (w *world) some(from []string, sign string) []string {
	var out []string
	for range 1 + w.IntN(4) {
		v := from[w.IntN(len(from))]
		if w.IntN(3) == 0 {
			v = sign + v
		}
		out = append(out, v)
	}
	return out
}

func (w *world) order() search.Order {
	fields := []search.OrderField{search.OrderCreatedAt, search.OrderLikes, search.OrderUsername, search.OrderImpressions, search.OrderRetweets, search.OrderReplies, search.OrderQuotes}
	return search.Order{Field: skewed(w, fields), Descending: w.IntN(2) == 0}
}
