package search

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"visualizer/internal/fault"
	"visualizer/internal/index"
	"visualizer/query/cache"
	"visualizer/schema"
)

// Store answers from Redis. It holds no tweets and may be used by many
// goroutines at once. Every call needs a context with a deadline, since
// rueidis retries a read for as long as it may.
type Store struct {
	client   rueidis.Client
	inFlight *semaphore.Weighted // calls that wait for Redis
	long     *semaphore.Weighted // those among them that may take long
	samples  samples
	memory   memory
	tuning   tuning
	steps    *prometheus.CounterVec
	pages    *cache.Cache[*Page] // nil: nothing is cached
	totals   *cache.Cache[total]
	lookups  *cache.Meeting[map[string]*schema.Tweet] // nil: nothing is shared
	users    *cache.Meeting[*schema.User]
	// current: the index that answers has the present definition, and so all
	// fields. It is not, while ingest builds a new one beside an old one.
	current atomic.Bool
	// prefixes is when the server was last seen to cut no prefixes, in Unix ns.
	prefixes atomic.Int64

	exemplars exemplars
}

// New returns a Store over a client that stays the caller's.
func New(client rueidis.Client) *Store {
	return &Store{client: client, inFlight: semaphore.NewWeighted(maxInFlight), long: semaphore.NewWeighted(maxLong), tuning: defaultTuning(), steps: newStepMetric()}
}

// check returns ErrUnavailable when the index that answers lacks a field of the
// expression or of more: its answer would be empty and not true.
func (s *Store) check(ctx context.Context, e expression, more ...string) error {
	if err := s.checkPrefixes(ctx, e); err != nil || s.current.Load() {
		return err
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
	for _, field := range slices.Concat(e.fields, more) {
		if !slices.Contains(present, field) {
			return fmt.Errorf("%w: the index is being rebuilt and has no %s yet", ErrUnavailable, field)
		}
	}
	return nil
}

// prefixesHold is how long it is taken for granted that the server cuts no
// prefixes: it may be restarted with other settings.
const prefixesHold = 5 * time.Second

// checkPrefixes returns ErrUnavailable when the server would cut the
// expression's prefixes silently.
func (s *Store) checkPrefixes(ctx context.Context, e expression) error {
	now := time.Now().UnixNano()
	if !e.prefixes || now-s.prefixes.Load() < int64(prefixesHold) {
		return nil
	}
	_, err := within(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, index.CheckPrefixes(ctx, s.client) })
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.prefixes.Store(now)
	return nil
}

// Tweets returns the page that r asks for. A request without meaning is an
// *InputError; ErrTimeout and ErrUnavailable tell what a client may try again.
func (s *Store) Tweets(ctx context.Context, r Request) (*Page, error) {
	q, err := newInquiry(&r)
	if err != nil {
		return nil, err
	}
	if q.none() {
		return q.page(), nil
	}
	if s.pages == nil {
		return s.answer(ctx, q)
	}
	if q.epoch = r.Epoch; q.epoch == "" {
		if q.epoch, err = s.Epoch(ctx); err != nil {
			return nil, err
		}
	}
	return s.pages.Do(ctx, q.key(), q.epoch, func(ctx context.Context) (*Page, error) { return s.answer(ctx, q) })
}

// inquiry is a checked request.
type inquiry struct {
	list
	request *Request
	scope   string
	span    span
}

// newInquiry checks a request; every error is an *InputError.
func newInquiry(r *Request) (*inquiry, error) {
	p, err := NewPredicate(r.Filter)
	if err != nil {
		return nil, err
	}
	q := &inquiry{request: r, scope: r.Order.scope(p)}
	if q.span, err = r.span(q.scope); err != nil {
		return nil, err
	}
	q.list = list{expression: expressionOf(p), filter: digest(p.Canonical()), order: r.Order, parts: r.Want.Tweets | r.Order.parts(), predicate: p}
	return q, nil
}

// key is equal for two inquiries just when they ask for the same page and the
// same parts of it.
func (q *inquiry) key() string {
	cursor := func(given *string) string {
		if given == nil {
			return ""
		}
		return *given
	}
	return fmt.Sprintf("%s\x00%s\x00%s\x00%d %d %t %v", q.scope, cursor(q.request.After), cursor(q.request.Before),
		q.span.skip, q.span.n, q.span.fromEnd, q.request.Want)
}

func (q *inquiry) page() *Page {
	return &Page{order: q.order, scope: q.scope, Plan: &Plan{}, Asked: time.Now()}
}

// answer asks Redis.
func (s *Store) answer(ctx context.Context, q *inquiry) (*Page, error) {
	if err := s.check(ctx, q.expression, q.order.fields()...); err != nil {
		return nil, err
	}
	page := q.page()
	l := q.list
	l.plan, page.Epoch = page.Plan, l.epoch
	var total total
	parts := []part{func(ctx context.Context) error { return s.fill(ctx, &l, q.span, q.request, page) }}
	if q.request.Want.Total {
		parts = append(parts, func(ctx context.Context) (err error) { total, err = s.total(ctx, &l); return err })
	}
	if err := together(ctx, parts...); err != nil {
		return nil, err
	}
	if page.Total = total.n; !total.asked.IsZero() && total.asked.Before(page.Asked) {
		page.Asked = total.asked
	}
	return page, nil
}

// fill reads the page's tweets and finds out what lies before and behind them.
func (s *Store) fill(ctx context.Context, l *list, sp span, r *Request, page *Page) error {
	w := walk{list: r.Order, from: sp.after, to: sp.before}
	if sp.fromEnd {
		w = walk{list: r.Order, backward: true, from: sp.before, to: sp.after}
	}
	parts := []part{func(ctx context.Context) error { return s.load(ctx, l, w, sp, r, page) }}
	if (w.from != nil || sp.skip > 0) && r.wants(!w.backward) {
		parts = append(parts, func(ctx context.Context) error { return s.look(ctx, l, w.behind(), page) })
	}
	return together(ctx, parts...)
}

// part finds out one part of an answer.
type part func(context.Context) error

// together finds out several parts at the same time: their commands leave as one
// pipeline. A single one wakes no other goroutine.
func together(ctx context.Context, parts ...part) error {
	if len(parts) == 1 {
		return parts[0](ctx)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range parts {
		g.Go(func() error { return fault.Contain(func() error { return p(ctx) }) })
	}
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
func (s *Store) look(ctx context.Context, l *list, w walk, page *Page) error {
	rows, err := s.rows(ctx, l, w, 0, 1)
	page.set(w.backward, len(rows) > 0)
	return err
}

// load fills the page with the first n tweets of the walk and notes whether
// there is more ahead of them.
func (s *Store) load(ctx context.Context, l *list, w walk, sp span, r *Request, page *Page) error {
	if r.Want.Tweets == 0 && !r.wants(w.backward) && !r.wants(!w.backward) {
		return nil
	}
	var rows []*schema.Tweet
	look := sp.n == 0 && sp.skip == 0
	n := sp.n
	if r.wants(w.backward) {
		n++ // the one behind the page
	}
	if !look && n > 0 {
		var err error
		if rows, err = s.rows(ctx, l, w, sp.skip, n); err != nil {
			return err
		}
	}
	ahead := len(rows) > sp.n
	rows = rows[:min(sp.n, len(rows))]
	if !ahead && r.wants(w.backward) && (look || w.to != nil) {
		// Nothing was read, or the walk ended at a cursor: there may be more
		// beyond.
		if err := s.look(ctx, l, w.ahead(rows), page); err != nil {
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
