package main

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/redis/rueidis"

	"visualizer/bench/load"
	"visualizer/bench/report"
	"visualizer/query/search"
	"visualizer/schema"
)

// mostPlans is how many requests a list has at most. They are made one after
// the other, for as long as the scale says: more than the load asks for in a
// second, so that no answer is still in a cache when its request comes again.
const mostPlans = 20_000

// plans returns requests that are all different, in filter or cursor, with the
// commands that the planner sends for each.
func (s *session) plans(ctx context.Context, d *load.Data) ([]request, error) {
	p := newPlanner(d)
	s.begin("planning", mostPlans)
	requests, err := p.requests(ctx, d, s.planning, func() { s.advance(1) })
	s.end()
	if err != nil {
		return nil, err
	}
	s.note("%s different requests", report.Count(len(requests)))
	return requests, nil
}

// requests makes as many as the time is enough for, and calls done behind each.
func (p *planner) requests(ctx context.Context, d *load.Data, most time.Duration, done func()) ([]request, error) {
	var requests []request
	began := time.Now()
	for w := range places(d) {
		r, err := p.plan(ctx, w)
		if err != nil {
			return nil, err
		}
		if len(r.IDs) > 0 { // there may be nothing behind the cursor
			requests = append(requests, r)
		}
		done()
		if len(requests) == mostPlans || time.Since(began) > most {
			break
		}
	}
	return requests, nil
}

// place is where a page begins.
type place struct {
	list
	order
	behind *schema.Tweet
}

// places are behind each tweet of the sample, in no order, once in each list.
func places(d *load.Data) iter.Seq[place] {
	return func(yield func(place) bool) {
		common, selective := lists(d)
		for _, i := range rand.New(rand.NewPCG(mixSeed, 0)).Perm(len(d.Sample)) {
			for _, l := range slices.Concat(common, selective) {
				for _, o := range orders() {
					if !yield(place{l, o, d.Sample[i]}) {
						return
					}
				}
			}
		}
	}
}

// planner finds out which commands a request takes.
type planner struct {
	recorder *recorder
	store    *search.Store
	first    map[string]*search.Page // of each list
}

func newPlanner(d *load.Data) *planner {
	r := &recorder{Client: d.Client}
	return &planner{recorder: r, store: search.New(r), first: map[string]*search.Page{}}
}

// plan asks for a page, and notes what was sent and what came.
func (p *planner) plan(ctx context.Context, w place) (request, error) {
	first, err := p.firstPage(ctx, w.list, w.order)
	if err != nil {
		return request{}, err
	}
	r := w.page(w.order)
	cursor := first.Cursor(w.behind)
	r.After = &cursor
	p.recorder.take()
	page, err := ask(ctx, p.store, r)
	if err != nil {
		return request{}, err
	}
	variables, err := variablesOf(r)
	out := request{Variables: variables, Commands: p.recorder.take()}
	for _, t := range page.Tweets {
		out.IDs = append(out.IDs, t.ID)
	}
	return out, err
}

// firstPage also lets the store learn the list, as it would under load.
func (p *planner) firstPage(ctx context.Context, l list, o order) (*search.Page, error) {
	name := l.name + o.name
	if page, ok := p.first[name]; ok {
		return page, nil
	}
	page, err := ask(ctx, p.store, l.page(o))
	if err == nil {
		p.first[name] = page
	}
	return page, err
}

// recorder is a client that notes the searches it is given.
type recorder struct {
	rueidis.Client
	mu       sync.Mutex
	searches [][]string
}

// take returns what was noted since it was called last.
func (r *recorder) take() [][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.searches
	r.searches = nil
	return taken
}

func (r *recorder) record(command []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if command[0] == "FT.SEARCH" || command[0] == "FT.AGGREGATE" {
		r.searches = append(r.searches, slices.Clone(command))
	}
}

// Do notes the command and sends it.
func (r *recorder) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	r.record(cmd.Commands())
	return r.Client.Do(ctx, cmd)
}

// DoMulti notes the commands and sends them.
func (r *recorder) DoMulti(ctx context.Context, cmds ...rueidis.Completed) []rueidis.RedisResult {
	for _, cmd := range cmds {
		r.record(cmd.Commands())
	}
	return r.Client.DoMulti(ctx, cmds...)
}

// DoCache notes the command and asks for it, or the client's own copy.
func (r *recorder) DoCache(ctx context.Context, cmd rueidis.Cacheable, ttl time.Duration) rueidis.RedisResult {
	r.record(cmd.Commands())
	return r.Client.DoCache(ctx, cmd, ttl)
}

// variablesOf returns a request as variables of the query in graphql.ts.
func variablesOf(r search.Request) (map[string]any, error) {
	direction := "ASC"
	if r.Order.Descending {
		direction = "DESC"
	}
	variables := map[string]any{
		"first": pageSize, "after": r.After,
		"orderBy": map[string]any{"field": r.Order.Field, "direction": direction},
	}
	if r.Filter == nil {
		return variables, nil
	}
	moments := json.MarshalFunc(func(t schema.Time) ([]byte, error) { return json.Marshal(t.String()) })
	text, err := json.Marshal(r.Filter, json.WithMarshalers(moments), json.FormatNilSliceAsNull(true))
	if err != nil {
		return nil, fmt.Errorf("encode a filter: %w", err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	variables["filter"] = input(fields)
	return variables, nil
}

// input gives fields of Go the names of GraphQL, and leaves out what is not
// given.
func input(fields map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range fields {
		if value == nil {
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			value = input(inner)
		}
		name = strings.NewReplacer("IDs", "Ids", "ID", "Id").Replace(name)
		out[strings.ToLower(name[:1])+name[1:]] = value
	}
	return out
}
