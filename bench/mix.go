package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"visualizer/bench/report"
	"visualizer/query/search"
	"visualizer/schema"
)

const (
	// naiveIsSlow is the time in ms from which the naive command is to be beaten.
	naiveIsSlow = 5
	// mixSeed decides the filters.
	mixSeed = 1
)

// mix asks for first pages of random filters, each by a store that has learned
// nothing of filters, and by the naive command in turn.
func (b *searches) mix(ctx context.Context) error {
	n := b.scale.mix
	rng := rand.New(rand.NewPCG(mixSeed, mixSeed))
	var ratios, losses, planned report.Sample
	b.begin("B5 random filters", n)
	for range n {
		l, o := b.random(rng), orders()[rng.IntN(len(orders()))]
		naiveFirst := rng.IntN(2) == 0
		// Once before: whoever comes first finds the tweets in no processor's
		// cache, which takes longer than many a search.
		if _, _, err := b.strangers(ctx, l, o, naiveFirst); err != nil {
			b.end()
			return err
		}
		p, q, err := b.strangers(ctx, l, o, naiveFirst)
		if err != nil {
			b.end()
			return err
		}
		b.advance(1)
		planned = append(planned, p)
		if q >= naiveIsSlow {
			ratios = append(ratios, p/q)
		} else {
			losses = append(losses, p-q)
		}
	}
	b.end()
	question := fmt.Sprintf("%d random filters, nothing learned, planned ÷ naive FT.SEARCH", n)
	slow := fmt.Sprintf("%d where naive takes ≥ %d ms", len(ratios), naiveIsSlow)
	single := func(asked, of string, answer float64, unit string, limit report.Limit) {
		b.row(report.Row{Target: "B5", Question: question + ": " + asked, A: of, Answer: report.Sample{answer}, Unit: unit, Limit: b.atFullSize(limit)})
	}
	single("median", slow, ratios.Median(), "", report.AtMost(0.05))
	single("99 % are below", slow, ratios.Quantile(0.99), "", report.Below(1))
	single("share with planned ≤ naive + 1 ms", fmt.Sprintf("the other %d", len(losses)),
		losses.Share(func(ms float64) bool { return ms <= 1 }), "", report.AtLeast(0.95))
	single("slowest planned", "all", planned.Quantile(1), "ms", report.AtMost(100))
	return nil
}

// strangers measures a list once each way, in ms. It is an error when the pages
// differ.
// Which of them goes first is told, since the other one finds what it needs in
// the processor's caches.
func (b *searches) strangers(ctx context.Context, l list, o order, naiveFirst bool) (planned, naive float64, err error) {
	store := search.New(b.large.Client)
	// A store that has run for a while has looked at the index, how its keys are
	// spread and what its tweets are like, and does so again behind questions.
	if err := store.Prepare(ctx); err != nil {
		return 0, 0, err
	}
	if _, err := ask(ctx, store, search.Request{Order: o.order, Want: search.Want{Tweets: schema.AllParts}}); err != nil {
		return 0, 0, err
	}
	var page *search.Page
	var plain []*schema.Tweet
	ways := []func() error{
		func() error {
			planned, err = clock(func() (err error) { page, err = ask(ctx, store, l.page(o)); return err })
			return err
		},
		func() error {
			naive, err = clock(func() (err error) { plain, err = l.naiveTweets(ctx, b.large, o); return err })
			return err
		},
	}
	if naiveFirst {
		slices.Reverse(ways)
	}
	for _, way := range ways {
		if err := way(); err != nil {
			return 0, 0, err
		}
	}
	return planned, naive, sameKeys(l, o, page.Tweets, plain)
}

// random returns a filter of one to three terms that a tweet of the sample has,
// so that it finds something.
func (b *searches) random(rng *rand.Rand) list {
	t := b.large.Sample[rng.IntN(len(b.large.Sample))]
	l := list{name: "random", filter: &search.Filter{}}
	var terms []string
	tag := func(field, value string) {
		terms = append(terms, fmt.Sprintf("@%s:{$%d}", field, len(l.values)))
		l.values = append(l.values, schema.Fold(value))
	}
	words := schema.Words(t.SearchText())
	for _, pick := range rng.Perm(6)[:1+rng.IntN(3)] {
		switch {
		case pick == 0 && t.Lang != "":
			l.filter.Langs = []string{string(t.Lang)}
			tag(schema.FieldLang, string(t.Lang))
		case pick == 1 && len(t.Hashtags) > 0:
			l.filter.Hashtags = t.Hashtags[:1]
			tag(schema.FieldHashtags, t.Hashtags[0])
		case pick == 2 && t.Author != nil && t.Author.Username != "":
			l.filter.Usernames = []string{string(t.Author.Username)}
			tag(schema.FieldUsername, string(t.Author.Username))
		case pick == 4 && len(words) > 0:
			word := words[rng.IntN(len(words))]
			l.filter.Text = &word
			terms = append(terms, fmt.Sprintf("@%s:$%d", schema.FieldWords, len(l.values)))
			l.values = append(l.values, schema.WordToken(word))
		case pick == 5 && t.Location != nil:
			l.filter.HasLocation = new(true)
			terms = append(terms, "@"+schema.FieldHasGeo+":{1}")
		case pick == 3 && t.CreatedAt != nil:
			// From before the tweet on: between nothing and all of them.
			l.filter.Since = t.CreatedAt
			terms = append(terms, fmt.Sprintf("@%s:[%d +inf]", schema.FieldCreatedAt, *t.CreatedAt))
		}
	}
	if l.naive = strings.Join(terms, " "); l.naive == "" {
		l.naive = "*"
	}
	return l
}
