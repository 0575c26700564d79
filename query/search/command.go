package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// tweetAttribute is what a query calls the tweet's JSON in its rows.
const tweetAttribute = "t"

// call is one command to Redis.
type call struct {
	name  string
	query string
	args  []string
	// limit is the time Redis may take; 0 is what the context has left.
	limit time.Duration
	// brief: it looks at few tweets.
	brief bool
}

// sorted is the FT.SEARCH of up to limit tweets of a walk in a segment, ties in
// no order.
func sorted(query string, w walk, seg segment, limit int) call {
	return call{name: "FT.SEARCH", query: query, args: []string{
		"VERBATIM", "RETURN", "3", schema.TweetPath, "AS", tweetAttribute,
		"SORTBY", seg.field(), direction(w), "LIMIT", "0", strconv.Itoa(limit),
	}}
}

// ordered is the FT.AGGREGATE of n tweets of a walk in a segment, behind the
// first skip, in the full order. LOAD stands behind LIMIT, so that only the
// page's documents are read.
func ordered(query string, w walk, seg segment, skip, n int) call {
	args := []string{"VERBATIM"}
	if filter := w.filter(seg); filter != "" {
		args = append(args, "FILTER", filter)
	}
	by := seg.sortBy()
	args = append(args, "SORTBY", strconv.Itoa(2*len(by)))
	for _, field := range by {
		args = append(args, "@"+field, direction(w))
	}
	args = append(args, "MAX", strconv.Itoa(skip+n), "LIMIT", strconv.Itoa(skip), strconv.Itoa(n))
	return call{name: "FT.AGGREGATE", query: query, args: append(args, loadTweet...)}
}

// loadTweet has the rows of FT.AGGREGATE hold the tweet.
var loadTweet = []string{"LOAD", "3", schema.TweetPath, "AS", tweetAttribute}

// number is the FT.SEARCH of no tweets, for their number.
func number(query string) call {
	return call{name: "FT.SEARCH", query: query, args: []string{"VERBATIM", "NOCONTENT", "LIMIT", "0", "0"}}
}

func direction(w walk) string {
	if w.descending() {
		return "DESC"
	}
	return "ASC"
}

// time returns how long Redis may take for a call that is sent now, in whole
// milliseconds; to Redis, 0 would be no limit.
func (c *call) time(ctx context.Context) time.Duration {
	limit := c.limit
	if deadline, ok := ctx.Deadline(); ok && (limit == 0 || time.Until(deadline) < limit) {
		limit = time.Until(deadline)
	}
	if limit == 0 {
		limit = noDeadline
	}
	return max(limit.Truncate(time.Millisecond), time.Millisecond)
}

// noDeadline is how long Redis may take when the context sets no limit.
const noDeadline = time.Hour

// ask sends a call and reads its reply.
func (s *Store) ask(ctx context.Context, params []string, c call) (result, error) {
	return send(ctx, s, params, c, parse)
}

// send sends a call with its parameters, the time Redis may take, and the
// dialect, and has its reply read. DIALECT 4's optimizer returns wrong pages.
//
// Redis may be set up to answer with what it has found when the time is over,
// and tells so of sorted searches alone. A reply that took as long may be such
// a one: it is ErrTimeout.
func send[T any](ctx context.Context, s *Store, params []string, c call, read func(rueidis.RedisResult) (T, error)) (T, error) {
	held := bounds{s.inFlight}
	if !c.brief {
		held = append(held, s.long)
	}
	return search(ctx, s, func(ctx context.Context) (T, error) {
		limit := c.time(ctx) // from here: the call may have waited for its place
		began := time.Now()
		reply := s.client.Do(ctx, s.command(params, c, limit))
		if took := time.Since(began); took >= limit && reply.Error() == nil {
			var none T
			return none, fmt.Errorf("%w: Redis had %v, and took %v", ErrTimeout, limit, took)
		}
		return read(reply)
	}, held)
}

func (s *Store) command(params []string, c call, limit time.Duration) rueidis.Completed {
	args := slices.Clone(c.args)
	if len(params) > 0 {
		args = append(append(args, "PARAMS", strconv.Itoa(len(params))), params...)
	}
	args = append(args, "TIMEOUT", strconv.FormatInt(limit.Milliseconds(), 10), "DIALECT", "2")
	return s.client.B().Arbitrary(c.name).Keys(schema.IndexAlias).Args(c.query).Args(args...).ReadOnly()
}
