package search_test

import (
	"strings"
	"testing"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestManyAlternatives: a filter with so many alternatives that RediSearch reads
// their union in another way matches what a scan finds, also where they exclude
// words and where a page cuts each of them into several.
func TestManyAlternatives(t *testing.T) {
	client := open(t)
	w := newWorld(*oracleSeed, 3000)
	put(t, client, shuffled(w)...)
	o := &oracle{t: t, world: w, client: client, store: search.New(client), kinds: map[search.Kind]int{}}
	for range 60 {
		f := &search.Filter{}
		if w.IntN(2) == 0 {
			f.Text = new(w.cases(1 + w.IntN(4)))
		}
		for range 1 + w.IntN(9) {
			f.Any = append(f.Any, w.alternative())
		}
		if w.IntN(3) == 0 {
			f.Not = &search.Filter{Text: new(w.cases(1))}
		}
		if tooMany(f) {
			continue
		}
		o.walk(f, w.order(), false)
		o.walk(f, search.Order{Field: search.OrderUsername, Descending: w.IntN(2) == 0}, false)
	}
	if o.matched == 0 {
		t.Error("no filter matched anything")
	}
}

// alternative is a filter that excludes words in several cases, or is a union
// itself.
func (w *world) alternative() *search.Filter {
	f := &search.Filter{Since: new(worldStart + schema.Time(w.IntN(600_000)))}
	switch w.IntN(6) {
	case 0:
		words := make([]string, 1+w.IntN(16))
		for i := range words {
			words[i] = plain[w.IntN(len(plain))]
		}
		f.Text = new(strings.Join(words, " OR "))
	case 1:
		f.Langs = []string{"en"}
	default:
		f.Text = new(w.cases(1 + w.IntN(5)))
	}
	return f
}

// cases is a text of so many alternatives, each of which excludes a word.
func (w *world) cases(n int) string {
	cases := make([]string, n)
	for i := range cases {
		word := func() string { return plain[w.IntN(len(plain))] }
		cases[i] = word() + " " + word() + " -" + word()
	}
	return strings.Join(cases, " OR ")
}
