package main

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/bench/report"
	"visualizer/graph"
	"visualizer/query/limits"
	"visualizer/query/search"
)

// writing compares what a tweet of a page costs to write, by our own code and by
// the generated code, in this process and without Redis. Its time is that of the
// CPU, collecting the garbage included, so that others on the machine don't count.
func (e *edge) writing(ctx context.Context) error {
	store := search.New(e.data.Client)
	written, generated := newWriter(store, graph.WriteConnections(limits.MaxAnswer)), newWriter(store, nil)
	for _, question := range []struct {
		name, unit string
		limit      report.Limit
		cost       func(cost) float64
	}{
		{"CPU", "µs", report.AtMost(5), func(c cost) float64 { return c.time.Seconds() * 1e6 }},
		{"allocations", "", report.Limit{}, func(c cost) float64 { return c.allocations }},
	} {
		side := func(name string, w *writer) report.Side {
			return report.Side{Name: name, Measure: func(context.Context) (report.Reading, error) {
				c, err := w.cost(ctx, e.each)
				return report.Reading{Value: question.cost(c) / search.MaxFirst}, err
			}}
		}
		if err := e.pair(ctx, report.Pair{
			Question: fmt.Sprintf("a tweet with 13 fields, of a page of %d: %s to execute and write", search.MaxFirst, question.name), Unit: question.unit,
			A: side("our own code", written), B: side("generated code", generated),
			Answer: report.Alone, Limit: question.limit, Rounds: e.rounds,
		}); err != nil {
			return err
		}
	}
	return nil
}

// cost is what one answer takes.
type cost struct {
	time        time.Duration
	allocations float64
}

// writer executes one operation on one page.
type writer struct{ *executor.Executor }

func newWriter(store *search.Store, middleware graphql.FieldMiddleware) *writer {
	served := graph.NewExecutableSchema(graph.Config{Resolvers: &kept{Resolver: &graph.Resolver{Store: store}}})
	w := &writer{executor.New(served)}
	w.SetQueryCache(graphql.MapCache[*ast.QueryDocument]{})
	if middleware != nil {
		w.AroundFields(middleware)
	}
	return w
}

// cost executes for some time, once before to read the page.
func (w *writer) cost(ctx context.Context, each time.Duration) (cost, error) {
	if err := w.answer(ctx); err != nil {
		return cost{}, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	used, err := cpu()
	if err != nil {
		return cost{}, err
	}
	n, began := 0, time.Now()
	for ; n == 0 || time.Since(began) < each; n++ {
		if err := w.answer(ctx); err != nil {
			return cost{}, err
		}
	}
	until, err := cpu()
	runtime.ReadMemStats(&after)
	return cost{(until - used) / time.Duration(n), float64(after.Mallocs-before.Mallocs) / float64(n)}, err
}

// cpu is the time that all CPUs have worked for this process.
func cpu() (time.Duration, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, fmt.Errorf("read the CPU's time: %w", err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}

func (w *writer) answer(ctx context.Context) error {
	ctx = graphql.StartOperationTrace(graph.WithReferences(ctx))
	operation, errs := w.CreateOperationContext(ctx, &graphql.RawParams{Query: pageQuery, Variables: map[string]any{"first": int64(search.MaxFirst)}})
	if len(errs) > 0 {
		return errs
	}
	responses, ctx := w.DispatchOperation(ctx, operation)
	if resp := responses(ctx); len(resp.Errors) > 0 {
		return resp.Errors
	}
	return nil
}

// kept is the service's resolver, but it reads one page only, once.
type kept struct {
	*graph.Resolver
	page *graph.TweetConnection
}

// Query returns the resolver of the page.
func (k *kept) Query() graph.QueryResolver { return onePage{k.Resolver.Query(), k} }

type onePage struct {
	graph.QueryResolver
	kept *kept
}

// Tweets answers every question with the page of the first.
func (p onePage) Tweets(ctx context.Context, filter *search.Filter, orderBy *graph.TweetOrder, first *int, after *string, last *int, before *string, offset *int) (_ *graph.TweetConnection, err error) {
	if p.kept.page == nil {
		p.kept.page, err = p.QueryResolver.Tweets(ctx, filter, orderBy, first, after, last, before, offset)
	}
	return p.kept.page, err
}
