package search

import (
	"context"
	"slices"
	"time"

	"visualizer/schema"
)

// rows returns n tweets of a walk behind the first skip, in its order.
func (s *Store) rows(ctx context.Context, l *list, w walk, skip, n int) ([]*schema.Tweet, error) {
	var rows []*schema.Tweet
	segments := w.segments()
	for i, seg := range segments {
		if i > 0 && skip > 0 {
			var err error
			if skip, err = s.left(ctx, l, w, segments[i-1], skip, len(rows)); err != nil {
				return nil, err
			}
		}
		f, err := s.segmentRows(ctx, l, w, seg, skip, n-len(rows))
		if err != nil {
			return nil, err
		}
		if rows = append(rows, f.rows...); len(rows) == n || f.all {
			break
		}
	}
	return rows, nil
}

// left returns how many of the skipped tweets lie behind a segment of which the
// page holds some.
func (s *Store) left(ctx context.Context, l *list, w walk, seg segment, skip, some int) (int, error) {
	if some > 0 {
		return 0, nil
	}
	query, possible := l.query(seg.narrow(w.stretch(seg))...)
	if !possible {
		return skip, nil
	}
	here, err := s.count(ctx, l, query)
	return max(skip-here, 0), err
}

func (s *Store) segmentRows(ctx context.Context, l *list, w walk, seg segment, skip, n int) (found, error) {
	if skip == 0 {
		return s.planned(ctx, l, w, seg, n)
	}
	query, possible := l.query(seg.narrow(w.stretch(seg))...)
	if !possible {
		return found{}, nil
	}
	return s.orderedRows(ctx, l, KindOffset, ordered(query, w, seg, skip, n))
}

// tieReserve is how many rows more than needed a sorted FT.SEARCH asks for: one
// whose key differs from the last one's tells that there are no ties to it.
const tieReserve = 1

// rows reads a stretch of a segment. Where one key tells too little apart,
// FT.AGGREGATE orders by all of them.
func (p *passage) rows(ctx context.Context, kind Kind, st stretch, tweets int) (found, error) {
	if p.seg.tied() {
		return p.ordered(ctx, kind, st)
	}
	return p.sorted(ctx, kind, st, tweets)
}

// sorted reads by FT.SEARCH, which orders by one key and leaves ties as they
// come: they are put in order here, and when the reply ends within a group of
// ties that is needed, FT.AGGREGATE does it.
func (p *passage) sorted(ctx context.Context, kind Kind, st stretch, tweets int) (found, error) {
	narrow := []branch{{}} // tweets without the value come last in any case
	whole := st.open() && !p.seg.nulls
	if !whole {
		narrow = p.seg.narrow(st)
	}
	query, possible := p.list.query(narrow...)
	if !possible {
		return found{}, nil
	}
	c := sorted(query, p.walk, p.seg, p.n+tieReserve)
	reply, tweetsFound, err := p.store.fetch(ctx, p.list, kind, tweets, c)
	if err != nil {
		return found{}, err
	}
	cut := reply.total > len(reply.rows)
	if whole && !cut && len(tweetsFound) == len(reply.rows) {
		// Every match is here, those of the other segment too; a walk from the
		// end has met these.
		here := placed(p.walk, tweetsFound)
		if p.walk.backward {
			here = p.seg.own(here)
		}
		rows := onWalk(p.walk, here)
		return found{rows: rows[:min(p.n, len(rows))], matches: reply.total, all: true}, nil
	}
	rows := complete(p.walk, p.seg, tweetsFound, cut)
	if cut && len(rows) < p.n {
		f, err := p.ordered(ctx, KindTies, st)
		f.matches = reply.total
		return f, err
	}
	return found{rows: rows[:min(p.n, len(rows))], matches: reply.total}, nil
}

// ordered reads by FT.AGGREGATE.
func (p *passage) ordered(ctx context.Context, kind Kind, st stretch) (found, error) {
	narrow := p.seg.narrow(st)
	whole := st.open() && !p.seg.nulls && p.fromEnd()
	if whole {
		narrow = []branch{{}} // tweets without the value come last in any case
	}
	query, possible := p.list.query(narrow...)
	if !possible {
		return found{}, nil
	}
	c := ordered(query, p.walk, p.seg, 0, p.n)
	f, err := p.store.orderedRows(ctx, p.list, kind, c)
	if err != nil || !whole {
		return f, err
	}
	here := placed(p.walk, f.rows)
	f.all = f.matches == len(here)
	if !f.all || p.walk.backward { // a walk from the end has met the others
		here = p.seg.own(here)
	}
	f.rows = onWalk(p.walk, here)
	return f, nil
}

// fetch sends a call for rows, and notes it in the plan.
func (s *Store) fetch(ctx context.Context, l *list, kind Kind, tweets int, c call) (result, []*schema.Tweet, error) {
	began := time.Now()
	c.brief = kind == KindWindow || kind == KindTies || kind == KindRare
	reply, err := s.ask(ctx, l.params, c)
	s.note(l, Step{Kind: kind, Query: c.query, Tweets: tweets, Matches: reply.total}, began)
	if err != nil {
		return reply, nil, err
	}
	found, err := decode(reply.rows, l.parts)
	return reply, found, err
}

// placedTweet is a tweet and its position.
type placedTweet struct {
	position
	tweet *schema.Tweet
}

func placed(w walk, tweets []*schema.Tweet) []placedTweet {
	out := make([]placedTweet, len(tweets))
	for i, t := range tweets {
		out[i] = placedTweet{w.list.positionOf(t), t}
	}
	return out
}

// own returns those of the tweets that belong to the segment.
func (s segment) own(tweets []placedTweet) []placedTweet {
	return slices.DeleteFunc(tweets, func(p placedTweet) bool { return s.only(&p.position) == nil })
}

// onWalk returns those of the tweets that the walk meets, in its order.
func onWalk(w walk, placed []placedTweet) []*schema.Tweet {
	placed = slices.DeleteFunc(placed, func(p placedTweet) bool { return !w.holds(p.position) })
	slices.SortFunc(placed, func(a, b placedTweet) int { return w.compare(a.position, b.position) })
	out := make([]*schema.Tweet, len(placed))
	for i, p := range placed {
		out[i] = p.tweet
	}
	return out
}

// complete orders the tweets of a reply along the walk and drops those that
// are not on it and, when the reply was cut, the last group of equal keys.
// Tweets of another segment come last in a reply: where there are any, all of
// this one are there.
func complete(w walk, seg segment, tweets []*schema.Tweet, cut bool) []*schema.Tweet {
	all := placed(w, tweets)
	here := seg.own(slices.Clone(all))
	if cut = cut && len(here) == len(all); cut && len(here) > 0 {
		last := seg.place(here[len(here)-1].position)[0]
		here = slices.DeleteFunc(here, func(p placedTweet) bool { return seg.place(p.position)[0] == last })
	}
	return onWalk(w, here)
}

// orderedRows sends a call for rows in the full order, again while documents of
// the page go away between its parts.
func (s *Store) orderedRows(ctx context.Context, l *list, kind Kind, c call) (found, error) {
	for {
		reply, read, err := s.fetch(ctx, l, kind, 0, c)
		if err != nil {
			return found{}, err
		}
		if len(read) == len(reply.rows) {
			return found{rows: read, matches: reply.total}, nil
		}
	}
}

// count returns how many tweets a query finds.
func (s *Store) count(ctx context.Context, l *list, query string) (int, error) {
	began := time.Now()
	reply, err := s.ask(ctx, l.params, number(query))
	s.note(l, Step{Kind: KindTotal, Query: query, Matches: reply.total}, began)
	return reply.total, err
}
