package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"visualizer/internal/index"
	"visualizer/schema"
)

// Store answers from Redis. It holds no tweets and may be used by many
// goroutines at once. Every call needs a context with a deadline, since
// rueidis retries a read for as long as it may.
type Store struct {
	client   rueidis.Client
	inFlight *semaphore.Weighted
	// current: the index that answers has the present definition, and so all
	// fields. It is not, while ingest builds a new one beside an old one.
	current atomic.Bool
}

// New returns a Store over a client that stays the caller's.
func New(client rueidis.Client) *Store {
	return &Store{client: client, inFlight: semaphore.NewWeighted(maxInFlight)}
}

// ask sends a search and reads its reply.
func (s *Store) ask(ctx context.Context, cmd rueidis.Completed) (result, error) {
	return within(ctx, s, func(ctx context.Context) (result, error) { return parse(s.client.Do(ctx, cmd)) })
}

// check returns ErrUnavailable when the index that answers lacks a field of the
// expression: its answer would be empty and not true.
func (s *Store) check(ctx context.Context, e expression) error {
	if s.current.Load() {
		return nil
	}
	name, err := within(ctx, s, func(ctx context.Context) (string, error) { return index.Current(ctx, s.client) })
	if err != nil {
		return err
	}
	if name == schema.IndexName() {
		s.current.Store(true)
		return nil
	}
	present, err := within(ctx, s, func(ctx context.Context) ([]string, error) { return index.Fields(ctx, s.client) })
	if err != nil {
		return err
	}
	for _, field := range append(e.fields, schema.FieldCreatedAt, schema.FieldNulls, schema.FieldSeq, schema.FieldLo) {
		if !slices.Contains(present, field) {
			return fmt.Errorf("%w: the index is being rebuilt and has no %s yet", ErrUnavailable, field)
		}
	}
	return nil
}

// Tweets returns the page that r asks for. A request without meaning is an
// *InputError; ErrTimeout and ErrUnavailable tell what a client may try again.
func (s *Store) Tweets(ctx context.Context, r Request) (*Page, error) {
	if err := r.Filter.Check(); err != nil {
		return nil, err
	}
	page := &Page{scope: r.scope()}
	span, err := r.span(page.scope)
	if err != nil {
		return nil, err
	}
	e := expressionOf(r.Filter)
	if e.none {
		return page, nil
	}
	if err := s.check(ctx, e); err != nil {
		return nil, err
	}
	// The calls leave together: the client writes what is waiting as one
	// pipeline.
	g, ctx := errgroup.WithContext(ctx)
	if r.Want.Total {
		g.Go(func() (err error) { page.Total, err = s.count(ctx, e); return err })
	}
	g.Go(func() error { return s.fill(ctx, e, span, &r, page) })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return page, nil
}

// fill reads the page's tweets and finds out what lies before and behind them.
func (s *Store) fill(ctx context.Context, e expression, sp span, r *Request, page *Page) error {
	w := walk{list: r.Order, from: sp.after, to: sp.before}
	if sp.fromEnd {
		w = walk{list: r.Order, backward: true, from: sp.before, to: sp.after}
	}
	var g errgroup.Group
	if start := w.from; start != nil && r.wants(!w.backward) {
		g.Go(func() error { return s.look(ctx, e, w.behind(), page) })
	}
	g.Go(func() error { return s.read(ctx, e, w, sp.n, r, page) })
	return g.Wait()
}

// wants reports whether the client asks if there is more at the list's
// beginning (or, when not, at its end).
func (r *Request) wants(beginning bool) bool {
	if beginning {
		return r.Want.HasPrevious
	}
	return r.Want.HasNext
}

// set notes whether there is more at the list's beginning or end.
func (p *Page) set(beginning, more bool) {
	if beginning {
		p.HasPrevious = more
		return
	}
	p.HasNext = more
}

// look finds out whether a walk meets any tweet.
func (s *Store) look(ctx context.Context, e expression, w walk, page *Page) error {
	more, err := s.any(ctx, e, w)
	page.set(w.backward, more)
	return err
}

// read fills the page with the first n tweets of the walk and notes whether
// there is more ahead of them.
func (s *Store) read(ctx context.Context, e expression, w walk, n int, r *Request, page *Page) error {
	if !r.Want.Tweets && !r.wants(w.backward) && !r.wants(!w.backward) {
		return nil
	}
	var rows []*schema.Tweet
	if n > 0 {
		var err error
		if rows, err = s.rows(ctx, e, w, n+1); err != nil {
			return err
		}
	}
	ahead := len(rows) > n
	rows = rows[:min(n, len(rows))]
	if !ahead && r.wants(w.backward) && (n == 0 || w.to != nil) {
		// Nothing was asked for, or the walk ended at a cursor: there may be
		// more beyond.
		if err := s.look(ctx, e, w.ahead(rows), page); err != nil {
			return err
		}
	} else {
		page.set(w.backward, ahead)
	}
	if w.backward {
		slices.Reverse(rows)
	}
	page.Tweets = rows
	return nil
}

// rows returns the first n tweets of a walk, in its order.
func (s *Store) rows(ctx context.Context, e expression, w walk, n int) ([]*schema.Tweet, error) {
	parts := []func(context.Context, expression, walk, int) ([]*schema.Tweet, error){s.datedRows, s.undatedRows}
	if w.backward {
		slices.Reverse(parts)
	}
	var rows []*schema.Tweet
	for _, part := range parts {
		if len(rows) == n {
			break
		}
		more, err := part(ctx, e, w, n-len(rows))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// tieReserve is how many rows more than needed a sorted FT.SEARCH asks for, so
// that the last one's ties are usually complete.
const tieReserve = 8

// datedRows reads tweets with createdAt. FT.SEARCH orders by one key and
// leaves ties as they come: they are put in order here, and when the reply ends
// within a group of ties that is needed, FT.AGGREGATE orders by all keys.
func (s *Store) datedRows(ctx context.Context, e expression, w walk, n int) ([]*schema.Tweet, error) {
	if !w.dated() {
		return nil, nil
	}
	limit := n + tieReserve
	reply, err := s.ask(ctx, s.sorted(ctx, e, w, limit))
	if err != nil {
		return nil, err
	}
	tweets, err := decode(reply.rows)
	if err != nil {
		return nil, err
	}
	cut := len(reply.rows) == limit
	rows := complete(w, tweets, cut)
	if cut && len(rows) < n {
		return s.tiedRows(ctx, e, w, n)
	}
	return rows[:min(n, len(rows))], nil
}

// complete orders the tweets of a reply along the walk and drops those that
// are not on it and, when the reply was cut, the last group of ties. Tweets
// without createdAt come last in a reply: where there are any, all with it are
// there.
func complete(w walk, tweets []*schema.Tweet, cut bool) []*schema.Tweet {
	all := len(tweets)
	tweets = slices.DeleteFunc(tweets, func(t *schema.Tweet) bool { return t.CreatedAt == nil })
	if cut && len(tweets) == all && all > 0 {
		last := *positionOf(tweets[all-1]).at
		tweets = slices.DeleteFunc(tweets, func(t *schema.Tweet) bool { return *positionOf(t).at == last })
	}
	tweets = slices.DeleteFunc(tweets, func(t *schema.Tweet) bool { return !w.holds(positionOf(t)) })
	slices.SortFunc(tweets, func(a, b *schema.Tweet) int {
		if w.before(positionOf(a), positionOf(b)) {
			return -1
		}
		return 1
	})
	return tweets
}

// tiedRows reads dated tweets in the full order.
func (s *Store) tiedRows(ctx context.Context, e expression, w walk, n int) ([]*schema.Tweet, error) {
	return s.aggregate(ctx, e, e.dated(w.narrow(e.window)), w, n, schema.FieldCreatedAt, schema.FieldSeq, schema.FieldLo)
}

// undatedRows reads tweets without createdAt: they are ordered by id.
func (s *Store) undatedRows(ctx context.Context, e expression, w walk, n int) ([]*schema.Tweet, error) {
	query, possible := e.withoutDate()
	if !possible || !w.undated() {
		return nil, nil
	}
	return s.aggregate(ctx, e, query, w, n, schema.FieldSeq, schema.FieldLo)
}

func (s *Store) aggregate(ctx context.Context, e expression, query string, w walk, n int, keys ...string) ([]*schema.Tweet, error) {
	reply, err := s.ask(ctx, s.ordered(ctx, e, query, w, n, keys))
	if err != nil {
		return nil, err
	}
	return decode(reply.rows)
}

// count returns how many tweets match.
func (s *Store) count(ctx context.Context, e expression) (int, error) {
	cmd := s.client.B().Arbitrary("FT.SEARCH").Keys(schema.IndexAlias).Args(e.in(e.window), "NOCONTENT", "LIMIT", "0", "0")
	reply, err := s.ask(ctx, cmd.Args(tail(ctx, e)...).ReadOnly())
	return reply.total, err
}

// any reports whether a walk meets a tweet.
func (s *Store) any(ctx context.Context, e expression, w walk) (bool, error) {
	if w.dated() {
		found, err := s.exists(ctx, e, e.dated(w.narrow(e.window)), w, schema.FieldCreatedAt, schema.FieldSeq, schema.FieldLo)
		if found || err != nil {
			return found, err
		}
	}
	query, possible := e.withoutDate()
	if !possible || !w.undated() {
		return false, nil
	}
	return s.exists(ctx, e, query, w, schema.FieldSeq, schema.FieldLo)
}

func (s *Store) exists(ctx context.Context, e expression, query string, w walk, keys ...string) (bool, error) {
	args := []string{query, "VERBATIM"}
	if filter := w.filter(keys...); filter != "" {
		args = append(args, "FILTER", filter)
	}
	args = append(append(args, "LIMIT", "0", "1"), tail(ctx, e)...)
	cmd := s.client.B().Arbitrary("FT.AGGREGATE").Keys(schema.IndexAlias).Args(args...).ReadOnly()
	reply, err := s.ask(ctx, cmd)
	return len(reply.rows) > 0, err
}

// tweetAttribute is what a query calls the tweet's JSON in its rows.
const tweetAttribute = "t"

// sorted is the FT.SEARCH of up to limit dated tweets of a walk, ties in no
// order.
func (s *Store) sorted(ctx context.Context, e expression, w walk, limit int) rueidis.Completed {
	args := []string{
		e.in(w.narrow(e.window)), "VERBATIM",
		"RETURN", "3", schema.TweetPath, "AS", tweetAttribute,
		"SORTBY", schema.FieldCreatedAt, direction(w),
		"LIMIT", "0", strconv.Itoa(limit),
	}
	return s.client.B().Arbitrary("FT.SEARCH").Keys(schema.IndexAlias).Args(append(args, tail(ctx, e)...)...).ReadOnly()
}

// ordered is the FT.AGGREGATE of the first n tweets of a walk by all keys. LOAD
// stands behind SORTBY, so that only the page's documents are read.
func (s *Store) ordered(ctx context.Context, e expression, query string, w walk, n int, keys []string) rueidis.Completed {
	args := []string{query, "VERBATIM"}
	if filter := w.filter(keys...); filter != "" {
		args = append(args, "FILTER", filter)
	}
	args = append(args, "SORTBY", strconv.Itoa(2*len(keys)))
	for _, k := range keys {
		args = append(args, "@"+k, direction(w))
	}
	args = append(args, "MAX", strconv.Itoa(n), "LOAD", "3", schema.TweetPath, "AS", tweetAttribute)
	return s.client.B().Arbitrary("FT.AGGREGATE").Keys(schema.IndexAlias).Args(append(args, tail(ctx, e)...)...).ReadOnly()
}

func direction(w walk) string {
	if w.descending() {
		return "DESC"
	}
	return "ASC"
}

// tail ends each query: its parameters, the time Redis may take, the dialect.
// DIALECT 4's optimizer returns wrong pages.
func tail(ctx context.Context, e expression) []string {
	var args []string
	if len(e.params) > 0 {
		args = append(append(args, "PARAMS", strconv.Itoa(len(e.params))), e.params...)
	}
	if deadline, ok := ctx.Deadline(); ok {
		ms := max(time.Until(deadline).Milliseconds(), 1)
		args = append(args, "TIMEOUT", strconv.FormatInt(ms, 10))
	}
	return append(args, "DIALECT", "2")
}
