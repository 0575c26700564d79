package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"visualizer/bench/load"
	"visualizer/bench/report"
	"visualizer/query/search"
	"visualizer/schema"
)

// patience is how long a page may take before the bench gives up: what a
// service would refuse is measured too.
const patience = time.Minute

// searches is what the search bench measures with.
type searches struct {
	*session
	small, large           *load.Data
	smallStore, largeStore *search.Store
}

// benchSearch asks search.Store itself: does a page cost the same however many
// tweets there are and however deep it lies, and what does planning save?
func benchSearch(ctx context.Context, s *session) (err error) {
	b := searches{session: s}
	if b.small, err = s.of(ctx, s.scale.small); err != nil {
		return err
	}
	if b.large, err = s.of(ctx, s.scale.large); err != nil {
		return err
	}
	b.smallStore, b.largeStore = search.New(b.small.Client), search.New(b.large.Client)
	common, selective := lists(b.large)
	for _, o := range orders() {
		for _, l := range common {
			if err := b.list(ctx, l, o, b.growth); err != nil {
				return err
			}
		}
		for _, l := range selective {
			if err := b.list(ctx, l, o, b.selective); err != nil {
				return err
			}
		}
		for _, l := range common[:2] {
			if err := b.depth(ctx, l, o); err != nil {
				return err
			}
		}
	}
	if err := b.pair(ctx, b.totals()); err != nil {
		return err
	}
	return b.mix(ctx)
}

// totals compares the total of all among many and among few tweets.
func (b *searches) totals() report.Pair {
	request := search.Request{Order: search.Newest, Want: search.Want{Total: true}}
	return report.Pair{
		Question: "p50 of the total of an unfiltered list: many ÷ few tweets", Unit: "ms",
		A:      report.Side{Name: tweets(b.large), Measure: b.page(b.largeStore, request)},
		B:      report.Side{Name: tweets(b.small), Measure: b.page(b.smallStore, request)},
		Rounds: b.rounds,
	}
}

// list measures the first page of a list: by its own question, and against the
// naive command.
func (b *searches) list(ctx context.Context, l list, o order, question func(list, order) report.Pair) error {
	if err := b.agree(ctx, l, o); err != nil {
		return err
	}
	if err := b.pair(ctx, question(l, o)); err != nil {
		return err
	}
	return b.pair(ctx, report.Pair{
		Target: "B5", Question: fmt.Sprintf("page 1 of %s, %s: planned ÷ naive FT.SEARCH", l.name, o.name), Unit: "ms",
		A:      report.Side{Name: "planned", Measure: b.page(b.largeStore, l.page(o))},
		B:      report.Side{Name: "naive", Measure: b.naive(l, o)},
		Rounds: b.rounds,
	})
}

// growth compares a list's first page among many and among few tweets.
func (b *searches) growth(l list, o order) report.Pair {
	return report.Pair{
		Target: "B3", Question: fmt.Sprintf("p50 of page 1 of %s, %s: many ÷ few tweets", l.name, o.name), Unit: "ms",
		A:      report.Side{Name: tweets(b.large), Measure: b.page(b.largeStore, l.page(o))},
		B:      report.Side{Name: tweets(b.small), Measure: b.page(b.smallStore, l.page(o))},
		Limit:  b.atFullSize(report.AtMost(1.5)),
		Rounds: b.rounds,
	}
}

// selective asks how long the first page of a short list takes.
func (b *searches) selective(l list, o order) report.Pair {
	return report.Pair{
		Target: "B3", Question: fmt.Sprintf("p50 of page 1 of %s, %s", l.name, o.name), Unit: "ms",
		A:      report.Side{Name: tweets(b.large), Measure: b.page(b.largeStore, l.page(o))},
		Answer: report.Alone,
		Limit:  b.atFullSize(report.AtMost(1)),
		Rounds: b.rounds,
	}
}

// deepPage is the number of the page that is compared with the first.
const deepPage = 1000

// depth compares a list's page 1,000 with its first.
func (b *searches) depth(ctx context.Context, l list, o order) error {
	deep, err := b.walk(ctx, l, o, (deepPage-1)*pageSize)
	if err != nil || deep == nil {
		return err
	}
	return b.pair(ctx, report.Pair{
		Target: "B4", Question: fmt.Sprintf("%s, %s: page 1,000 by cursor ÷ page 1", l.name, o.name), Unit: "ms",
		A:      report.Side{Name: "page 1,000", Measure: b.page(b.largeStore, *deep)},
		B:      report.Side{Name: "page 1", Measure: b.page(b.largeStore, l.page(o))},
		Limit:  b.atFullSize(report.AtMost(o.deep)),
		Rounds: b.rounds,
	})
}

// walk returns the request of the page behind the first n tweets, or nil when
// there are not so many.
func (b *searches) walk(ctx context.Context, l list, o order, n int) (*search.Request, error) {
	request := l.page(o)
	for passed := 0; passed < n; {
		step := min(search.MaxFirst, n-passed)
		request.First = &step
		got, err := ask(ctx, b.largeStore, request)
		if err != nil {
			return nil, err
		}
		if len(got.Tweets) < step {
			return nil, nil
		}
		passed += step
		cursor := got.Cursor(got.Tweets[step-1])
		request.After = &cursor
	}
	request.First = nil
	return &request, nil
}

func tweets(d *load.Data) string { return report.Count(d.Size) + " tweets" }

// agree returns an error unless both ways give pages of the same values: a wrong
// page is not worth measuring.
func (b *searches) agree(ctx context.Context, l list, o order) error {
	planned, err := ask(ctx, b.largeStore, l.page(o))
	if err != nil {
		return err
	}
	naive, err := l.naiveTweets(ctx, b.large, o)
	if err != nil {
		return err
	}
	return sameKeys(l, o, planned.Tweets, naive)
}

// sameKeys compares the values that order two pages; FT.SEARCH leaves ties as
// they come. Every list that is measured has tweets.
func sameKeys(l list, o order, planned, naive []*schema.Tweet) error {
	if got, want := keys(planned, o), keys(naive, o); !slices.Equal(got, want) || len(got) == 0 {
		return fmt.Errorf("page 1 of %s (%s %v), %s, has the values %v where FT.SEARCH has %v", l.name, l.naive, l.values, o.name, got, want)
	}
	return nil
}

func keys(page []*schema.Tweet, o order) []string {
	out := make([]string, len(page))
	for i, t := range page {
		out[i] = o.key(t)
	}
	return out
}

func ask(ctx context.Context, store *search.Store, r search.Request) (*search.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return store.Tweets(ctx, r)
}

// page measures the median time of a page.
func (b *searches) page(store *search.Store, r search.Request) func(context.Context) (report.Reading, error) {
	return func(ctx context.Context) (report.Reading, error) {
		return median(b.each, func() error { _, err := ask(ctx, store, r); return err })
	}
}

// naive measures the median time of the command that asks for the same.
func (b *searches) naive(l list, o order) func(context.Context) (report.Reading, error) {
	return func(ctx context.Context) (report.Reading, error) {
		return median(b.each, func() error { _, err := l.naiveTweets(ctx, b.large, o); return err })
	}
}

// leastTimes is how many times a measurement asks at least.
const leastTimes = 3

// median asks again and again for some time and returns the median time in ms.
func median(each time.Duration, ask func() error) (report.Reading, error) {
	var times report.Sample
	for began := time.Now(); len(times) < leastTimes || time.Since(began) < each; {
		took, err := clock(ask)
		if err != nil {
			return report.Reading{}, err
		}
		times = append(times, took)
	}
	return report.Reading{Value: times.Median()}, nil
}

// clock returns how many ms a call takes.
func clock(ask func() error) (float64, error) {
	began := time.Now()
	err := ask()
	return time.Since(began).Seconds() * 1000, err
}
