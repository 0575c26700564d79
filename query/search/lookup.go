package search

import (
	"context"
	"fmt"

	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/internal/line"
	"visualizer/schema"
)

// Tweet returns one tweet by id, also a referenced or superseded one; nil when
// there is none.
func (s *Store) Tweet(ctx context.Context, id string) (*schema.Tweet, error) {
	if !schema.ValidID(id) {
		return nil, nil
	}
	cmd := s.client.B().JsonMget().Key(schema.TweetKey(id), schema.HiddenKey(id)).Path(tweetPath).Build()
	found, err := within(ctx, s, func(ctx context.Context) ([]rueidis.RedisMessage, error) { return s.client.Do(ctx, cmd).ToArray() })
	if err != nil {
		return nil, fmt.Errorf("read tweet %s: %w", id, err)
	}
	for _, m := range found {
		if m.IsNil() {
			continue
		}
		text, err := m.ToString()
		if err != nil {
			return nil, fmt.Errorf("read tweet %s: %w", id, err)
		}
		t := new(schema.Tweet)
		return t, schema.Decode([]byte(text), t)
	}
	return nil, nil
}

// tweetPath is schema.TweetPath in the older notation, which returns the value
// itself and not an array of matches.
const tweetPath = ".t"

// Status returns the status of the line.
func (s *Store) Status(ctx context.Context) (*schema.Status, error) {
	return within(ctx, s, func(ctx context.Context) (*schema.Status, error) { return line.Status(ctx, s.client) })
}

// Ready returns nil once the index is there and complete.
func (s *Store) Ready(ctx context.Context) error { return index.Ready(ctx, s.client) }
