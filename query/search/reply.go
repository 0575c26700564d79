package search

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// Errors that reach clients by their kind; what is wrapped is for the log.
var (
	// ErrTimeout: Redis did not finish within the deadline.
	ErrTimeout = errors.New("the search took too long")
	// ErrUnavailable: Redis can't be asked now.
	ErrUnavailable = errors.New("the store is not available")
)

// result is the reply to FT.SEARCH or FT.AGGREGATE in RESP3.
type result struct {
	total int
	rows  []row
}

// row is one hit; tweet is "" when the document went away meanwhile.
type row struct{ tweet string }

// answer is a reply whose hits are not read yet.
type answer struct {
	total int
	hits  []rueidis.RedisMessage
}

// readAnswer reads the head of a reply. A warning means that it is not
// complete, which is an error here: a shorter truth is none.
func readAnswer(reply rueidis.RedisResult) (answer, error) {
	fields, err := reply.AsMap()
	if err != nil {
		return answer{}, err
	}
	if err := warning(fields["warning"]); err != nil {
		return answer{}, err
	}
	total := fields["total_results"]
	n, err := total.AsInt64()
	if err != nil {
		return answer{}, fmt.Errorf("%w: total_results: %w", errMalformed, err)
	}
	results := fields["results"]
	hits, err := results.ToArray()
	if err != nil {
		return answer{}, fmt.Errorf("%w: results: %w", errMalformed, err)
	}
	return answer{total: int(n), hits: hits}, nil
}

// parse reads a reply whose hits are tweets.
func parse(reply rueidis.RedisResult) (result, error) {
	a, err := readAnswer(reply)
	if err != nil {
		return result{}, err
	}
	r := result{total: a.total, rows: make([]row, len(a.hits))}
	for i := range a.hits {
		if r.rows[i].tweet, err = tweetOf(&a.hits[i]); err != nil {
			return r, fmt.Errorf("%w: hit %d: %w", errMalformed, i, err)
		}
	}
	return r, nil
}

func warning(m rueidis.RedisMessage) error {
	warnings, err := m.AsStrSlice()
	if err != nil || len(warnings) == 0 {
		return nil // a server without warnings says nothing
	}
	text := strings.Join(warnings, "; ")
	if strings.Contains(strings.ToLower(text), "timeout") {
		return fmt.Errorf("%w: %s", ErrTimeout, text)
	}
	return fmt.Errorf("%w: incomplete: %s", errMalformed, text)
}

// tweetOf returns the JSON of the tweet in a hit.
func tweetOf(hit *rueidis.RedisMessage) (string, error) {
	values, err := attributes(hit)
	if err != nil {
		return "", err
	}
	tweet, ok := values[tweetAttribute]
	if !ok || tweet.IsNil() {
		return "", nil
	}
	return tweet.ToString()
}

// attributes returns the values of a hit; none when its document went away.
func attributes(hit *rueidis.RedisMessage) (map[string]rueidis.RedisMessage, error) {
	fields, err := hit.AsMap()
	if err != nil {
		return nil, err
	}
	values := fields["extra_attributes"]
	if values.IsNil() {
		return nil, nil
	}
	return values.AsMap()
}

// classify tells what clients may know of a failed call; ctx is the caller's. An
// error that is classified already stays as it is.
func classify(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrTimeout) || errors.Is(err, ErrUnavailable) {
		return err
	}
	text := err.Error()
	_, fromServer := rueidis.IsRedisErr(err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return err // nobody waits for the answer
	case errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil, strings.Contains(text, "Timeout limit was reached"):
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	case !fromServer && !errors.Is(err, errMalformed), strings.HasPrefix(text, "LOADING"), strings.Contains(text, "Unknown index"), strings.Contains(text, "no such index"):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// errMalformed: Redis answered, but not what was asked for.
var errMalformed = errors.New("malformed reply")

// decode reads parts of the tweets of rows; a document that went away is left
// out.
func decode(rows []row, parts schema.Parts) ([]*schema.Tweet, error) {
	tweets := make([]*schema.Tweet, 0, len(rows))
	for _, r := range rows {
		if r.tweet == "" {
			continue
		}
		t, err := schema.ReadTweet(r.tweet, parts)
		if err != nil {
			return nil, err
		}
		tweets = append(tweets, t)
	}
	return tweets, nil
}
