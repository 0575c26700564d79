package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"

	"visualizer/bench/load"
	"visualizer/bench/report"
	"visualizer/query/cache"
	"visualizer/query/search"
	"visualizer/schema"
)

// askers ask at the same time, each for one of the popular pages after another.
const askers = 16

// writeRates are the tweets a second that are stored meanwhile.
var writeRates = []int{0, 50, 5000}

// caching is one way to have a page in the client.
type caching struct {
	name string
	page func(context.Context, popular) error
}

// popular is a page that many ask for, with the commands of its plan.
type popular struct {
	name     string
	request  search.Request
	commands [][]string
}

// benchCache asks for popular pages by each way of caching on the client's side:
// which answers most, on a still store and while tweets are stored?
func benchCache(ctx context.Context, s *session) error {
	d, err := s.of(ctx, s.scale.middle)
	if err != nil {
		return err
	}
	pages, err := popularPages(ctx, d)
	if err != nil {
		return err
	}
	plain, cached := search.New(d.Client), search.NewCached(d.Client)
	ids := cache.New(16<<20, func(keys []string) int { return 40 * len(keys) })
	none := caching{"no cache", func(ctx context.Context, p popular) error { _, err := ask(ctx, plain, p.request); return err }}
	ways := []caching{
		{"(a) ids, then JSON.MGET tracked", func(ctx context.Context, p popular) error { return byID(ctx, d.Client, p) }},
		{"(b) page by epoch", func(ctx context.Context, p popular) error { _, err := ask(ctx, cached, p.request); return err }},
		{"(c) FT.SEARCH by the index's name", func(ctx context.Context, p popular) error { return byIndex(ctx, d.Client, p) }},
		{"(a) with the ids by epoch, as (b)", func(ctx context.Context, p popular) error { return byKnownID(ctx, d.Client, cached, ids, p) }},
		{"(a) with the ids by the index's name, as (c)", func(ctx context.Context, p popular) error { return byIndexAndID(ctx, d.Client, p) }},
	}
	for _, rate := range writeRates {
		for _, way := range ways {
			if err := s.pair(ctx, report.Pair{
				Question: fmt.Sprintf("%s, %d popular pages, %d tweets/s stored meanwhile", tweets(d), len(pages), rate), Unit: "pages/s",
				A:      report.Side{Name: way.name, Measure: s.popular(d, pages, way, rate)},
				B:      report.Side{Name: none.name, Measure: s.popular(d, pages, none, rate)},
				Rounds: s.rounds,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// popularPages are the first pages of the common lists.
func popularPages(ctx context.Context, d *load.Data) ([]popular, error) {
	p := newPlanner(d)
	common, _ := lists(d)
	var pages []popular
	for _, l := range common {
		for _, o := range orders() {
			for range 3 { // until the planner knows the list
				p.recorder.take()
				if _, err := ask(ctx, p.store, l.page(o)); err != nil {
					return nil, err
				}
			}
			pages = append(pages, popular{l.name + ", " + o.name, l.page(o), p.recorder.take()})
		}
	}
	return pages, nil
}

// popular counts the pages that are answered in a second.
func (s *session) popular(d *load.Data, pages []popular, way caching, rate int) func(context.Context) (report.Reading, error) {
	return func(ctx context.Context) (report.Reading, error) {
		ctx, stop := context.WithTimeout(ctx, 5*s.each)
		defer stop()
		var g errgroup.Group
		var answered atomic.Int64
		began := time.Now()
		for i := range askers {
			g.Go(func() error {
				for n := i; ctx.Err() == nil; n++ {
					if err := way.page(context.WithoutCancel(ctx), pages[n%len(pages)]); err != nil {
						return err
					}
					answered.Add(1)
				}
				return nil
			})
		}
		g.Go(func() error { return storeAt(ctx, d, rate) })
		err := g.Wait()
		return report.Reading{Value: float64(answered.Load()) / time.Since(began).Seconds()}, err
	}
}

// storeAt stores so many tweets a second again, in transactions as the writer's.
func storeAt(ctx context.Context, d *load.Data, rate int) error {
	if rate == 0 {
		return nil
	}
	const most = 64
	batch := max(1, min(most, rate/50))
	tick := time.NewTicker(time.Second * time.Duration(batch) / time.Duration(rate))
	defer tick.Stop()
	for n := 0; ; n += batch {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		b := d.Client.B()
		cmds := rueidis.Commands{b.Multi().Build()}
		for i := range batch {
			doc := schema.NewDocument(*d.Sample[(n+i)%len(d.Sample)], schema.Ranks{})
			doc.Own = true
			text, err := schema.Encode(doc)
			if err != nil {
				return err
			}
			cmds = append(cmds, b.JsonSet().Key(doc.Key()).Path("$").Value(rueidis.BinaryString(text)).Build())
		}
		cmds = append(cmds, b.Incr().Key(schema.LaneKeys()[0]).Build(), b.Incr().Key(schema.IndexAlias).Build(), b.Exec().Build())
		for _, r := range d.Client.DoMulti(context.WithoutCancel(ctx), cmds...) {
			if err := r.Error(); err != nil {
				return err
			}
		}
	}
}

// byIndex asks for the plan's searches through the client's own cache, filed
// under the name of the index, which the writer counts up.
func byIndex(ctx context.Context, client rueidis.Client, p popular) error {
	for _, command := range p.commands {
		cmd := client.B().Arbitrary(command[0]).Keys(command[1]).Args(command[2:]...).ReadOnly()
		if _, err := decoded(client.DoCache(ctx, rueidis.Cacheable(cmd), time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// byID asks for the ids of the plan's searches, and for the tweets through the
// client's own cache.
func byID(ctx context.Context, client rueidis.Client, p popular) error {
	keys, err := keysOf(p, func(ids []string) rueidis.RedisResult {
		return client.Do(ctx, client.B().Arbitrary(ids[0]).Keys(ids[1]).Args(ids[2:]...).ReadOnly())
	})
	if err != nil {
		return err
	}
	return documents(ctx, client, keys)
}

// byKnownID does so with ids that are kept for as long as the store's epoch
// stands.
func byKnownID(ctx context.Context, client rueidis.Client, store *search.Store, ids *cache.Cache[[]string], p popular) error {
	epoch, err := store.Epoch(ctx)
	if err != nil {
		return err
	}
	keys, err := ids.Do(ctx, p.name, epoch, func(ctx context.Context) ([]string, error) {
		return keysOf(p, func(ids []string) rueidis.RedisResult {
			return client.Do(ctx, client.B().Arbitrary(ids[0]).Keys(ids[1]).Args(ids[2:]...).ReadOnly())
		})
	})
	if err != nil {
		return err
	}
	return documents(ctx, client, keys)
}

// byIndexAndID does so with ids from the client's own cache, filed under the
// name of the index.
func byIndexAndID(ctx context.Context, client rueidis.Client, p popular) error {
	keys, err := keysOf(p, func(ids []string) rueidis.RedisResult {
		cmd := client.B().Arbitrary(ids[0]).Keys(ids[1]).Args(ids[2:]...).ReadOnly()
		return client.DoCache(ctx, rueidis.Cacheable(cmd), time.Second)
	})
	if err != nil {
		return err
	}
	return documents(ctx, client, keys)
}

// keysOf asks for the keys of the tweets that the plan's searches find.
func keysOf(p popular, do func(command []string) rueidis.RedisResult) ([]string, error) {
	var keys []string
	for _, command := range p.commands {
		found, err := decoded(do(withoutDocuments(command)))
		if err != nil {
			return nil, err
		}
		keys = append(keys, found...)
	}
	return keys, nil
}

// documents reads tweets through the client's own cache.
func documents(ctx context.Context, client rueidis.Client, keys []string) error {
	docs, err := rueidis.JsonMGetCache(client, ctx, time.Second, keys, schema.TweetPath)
	if err != nil {
		return err
	}
	for key, doc := range docs {
		text, err := doc.ToString()
		if err != nil {
			return fmt.Errorf("read %s: %w", key, err)
		}
		var found []schema.Tweet
		if err := schema.Decode([]byte(text), &found); err != nil {
			return err
		}
	}
	return nil
}

// withoutDocuments is a search that asks for keys instead of tweets.
func withoutDocuments(command []string) []string {
	for name, ids := range map[string][]string{"RETURN": {"NOCONTENT"}, "LOAD": {"LOAD", "1", "@__key"}} {
		if at := slices.Index(command, name); at >= 0 {
			return slices.Concat(command[:at], ids, command[at+5:])
		}
	}
	return command
}

// decoded reads the tweets or keys of a reply.
func decoded(reply rueidis.RedisResult) (keys []string, err error) {
	answer, err := reply.AsMap()
	if err != nil {
		return nil, err
	}
	results := answer["results"]
	rows, err := results.ToArray()
	for i := range rows {
		hit, hitErr := rows[i].AsMap()
		if hitErr != nil {
			return nil, hitErr
		}
		id := hit["id"]
		key, _ := id.ToString()
		attributes := hit["extra_attributes"]
		values, _ := attributes.AsStrMap()
		if key == "" {
			key = values["__key"]
		}
		keys = append(keys, key)
		if text := values["t"]; text != "" {
			err = errors.Join(err, schema.Decode([]byte(text), new(schema.Tweet)))
		}
	}
	return keys, err
}
