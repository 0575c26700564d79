package graph

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestWritten: what we write is what the generated code writes, key by key, for
// every selection and every tweet.
func TestWritten(t *testing.T) {
	for seed := range uint64(4_000) {
		r := rand.New(rand.NewPCG(seed, 8))
		o := &operations{Rand: r, schema: served()}
		query, variables := o.operation()
		w := newWorld(r)
		checkWritten(t, query, variables, w)
		if t.Failed() {
			t.Fatalf("seed %d: %v\n%s", seed, variables, query)
		}
	}
}

// TestWrittenCases are selections of a kind that is seldom made at random.
func TestWrittenCases(t *testing.T) {
	for _, query := range []string{
		`{tweets {nodes {id: text text: id}}}`,
		`{tweets {nodes {id} ...f ...f}} fragment f on TweetConnection {nodes {lang} edges {node {id} node {lang} cursor}}`,
		`{tweets {edges {node {...on Node {id} ...on Node {id __typename ...on Tweet {text}}}}}}`,
		`{tweets {nodes {id @skip(if: true)}}}`,
		`{tweets {pageInfo {startCursor startCursor end: endCursor} __typename totalCount}}`,
		`{tweets {nodes {references {tweet {references {tweet {author {id}} type} id}}}}}`,
		`{a: tweets {nodes {id}} b: tweets {nodes {text}} tweets {__typename}}`,
	} {
		for seed := range uint64(20) {
			checkWritten(t, query, nil, newWorld(rand.New(rand.NewPCG(seed, 0))))
		}
	}
}

// TestWrittenUnread: a referenced tweet that nobody read is left to the
// resolver, with its errors and their paths.
func TestWrittenUnread(t *testing.T) {
	query := `{tweets {nodes {id references {type at: tweet {id}}}}}`
	w := world{page: &search.Page{Tweets: []*schema.Tweet{{ID: "1"}, {ID: "2", References: []schema.Reference{{Type: schema.Quoted, ID: "3"}}}}}}
	want, got := w.answer(t, query, nil, nil), w.answer(t, query, nil, WriteConnections(math.MaxInt))
	if diff := cmp.Diff(string(want.Data), string(got.Data)); diff != "" {
		t.Errorf("data (-generated +written):\n%s", diff)
	}
	if len(got.Errors) != 1 || got.Errors[0].Path.String() != "tweets.nodes[1].references[0].at" {
		t.Errorf("errors %v", got.Errors)
	}
}

// TestWrittenTooLong: what is longer than allowed is left to the generated code,
// which others stop, and no more of it is made than that and one object.
func TestWrittenTooLong(t *testing.T) {
	const long = 1 << 20
	w := world{page: &search.Page{}}
	for range search.MaxFirst {
		w.page.Tweets = append(w.page.Tweets, &schema.Tweet{ID: "1", Text: strings.Repeat("a", long)})
	}
	middleware := func(ctx context.Context, next graphql.Resolver) (any, error) {
		v, err := WriteConnections(3*long)(ctx, next)
		if _, ok := v.(*TweetConnection); ok {
			return nil, errors.New("left")
		}
		return v, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp := w.answer(t, `{tweets {nodes {text}}}`, nil, middleware)
	runtime.ReadMemStats(&after)
	if string(resp.Data) != `{"tweets":null}` {
		t.Errorf("%.100s", resp.Data)
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 20*long {
		t.Errorf("%d bytes were made", made)
	}
}

// checkWritten compares both answers to an operation, and that ours is ours.
func checkWritten(t *testing.T, query string, variables map[string]any, w world) {
	t.Helper()
	want := w.answer(t, query, variables, nil)
	got := w.answer(t, query, variables, func(ctx context.Context, next graphql.Resolver) (any, error) {
		v, err := WriteConnections(math.MaxInt)(ctx, next)
		if _, ok := v.(*TweetConnection); ok {
			t.Error("a connection is left to the generated code")
		}
		return v, err
	})
	if len(want.Errors)+len(got.Errors) > 0 {
		t.Errorf("errors of the generated code %v, of ours %v", want.Errors, got.Errors)
	}
	if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
		t.Errorf("(-generated +written):\n%s", diff)
	}
}

// plain returns an answer with its strings escaped alike: the generated code has
// two ways to do so.
func plain(t *testing.T, resp *graphql.Response) string {
	t.Helper()
	v := jsontext.Value(resp.Data)
	if err := v.Format(); err != nil {
		t.Fatalf("%v in %q", err, resp.Data)
	}
	return string(v)
}

var served = sync.OnceValue(func() *ast.Schema {
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: schema.SDL})
})

// answer executes an operation, with a middleware if it is not nil.
func (w world) answer(t testing.TB, query string, variables map[string]any, middleware graphql.FieldMiddleware) *graphql.Response {
	t.Helper()
	return w.execute(t, w.executor(middleware), query, variables)
}

func (w world) executor(middleware graphql.FieldMiddleware) *executor.Executor {
	exec := executor.New(NewExecutableSchema(Config{Schema: served(), Resolvers: &worldResolver{Resolver: &Resolver{}, page: w.page}}))
	exec.SetQueryCache(graphql.MapCache[*ast.QueryDocument]{})
	if middleware != nil {
		exec.AroundFields(middleware)
	}
	return exec
}

func (w world) execute(t testing.TB, exec *executor.Executor, query string, variables map[string]any) *graphql.Response {
	t.Helper()
	ctx := context.WithValue(t.Context(), referencesKey{}, &references{read: w.read})
	ctx = graphql.StartOperationTrace(ctx)
	operation, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables})
	if len(errs) > 0 {
		t.Fatalf("%v in %s", errs, query)
	}
	responses, ctx := exec.DispatchOperation(ctx, operation)
	return responses(ctx)
}

// worldResolver answers with one page.
type worldResolver struct {
	*Resolver
	page *search.Page
}

func (r *worldResolver) Query() QueryResolver {
	return &pageResolver{&queryResolver{r.Resolver}, r.page}
}

func (r *worldResolver) Reference() ReferenceResolver { return readResolver{} }

type pageResolver struct {
	*queryResolver
	page *search.Page
}

func (r *pageResolver) Tweets(context.Context, *search.Filter, *TweetOrder, *int, *string, *int, *string, *int) (*TweetConnection, error) {
	return &TweetConnection{r.page}, nil
}

// readResolver knows the tweets that were read.
type readResolver struct{}

func (readResolver) Tweet(ctx context.Context, r *schema.Reference) (*schema.Tweet, error) {
	if t, read := ctx.Value(referencesKey{}).(*references).get(r.ID); read {
		return t, nil
	}
	return nil, errors.New("not read")
}

// BenchmarkWrite asks what a tweet costs, of a page of 100 with 12 fields each.
func BenchmarkWrite(b *testing.B) {
	query := `{tweets {nodes {id text createdAt lang author {id username name} hashtags metrics {likes retweets replies} observedAt}}}`
	for _, bb := range []struct {
		name       string
		middleware graphql.FieldMiddleware
	}{{"generated", nil}, {"written", WriteConnections(math.MaxInt)}} {
		b.Run(bb.name, func(b *testing.B) {
			w := world{page: usualPage()}
			exec := w.executor(bb.middleware)
			b.ReportAllocs()
			for b.Loop() {
				if resp := w.execute(b, exec, query, nil); len(resp.Errors) > 0 {
					b.Fatal(resp.Errors)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(w.page.Tweets)), "ns/tweet")
		})
	}
}

func usualPage() *search.Page {
	at, n, text := schema.Time(1_700_000_000_123), int64(12), "RT @golang: Go 1.26 is out, with a new garbage collector ☕ https://t.co/AbCdEf #golang #release"
	tweet := &schema.Tweet{
		ID: "1700000000000000001", RawText: text, Text: text, CreatedAt: &at, Lang: "en", ObservedAt: &at,
		Author:   &schema.User{ID: "1234567", Username: "gopher", Name: "A Gopher"},
		Hashtags: []string{"golang", "release"}, Metrics: schema.Metrics{Likes: &n, Retweets: &n, Replies: &n},
	}
	page := &search.Page{}
	for range search.MaxFirst {
		page.Tweets = append(page.Tweets, tweet)
	}
	return page
}
