package search

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/internal/line"
	"visualizer/schema"
)

// Tweet returns one tweet by id, also a referenced or superseded one; nil when
// there is none.
func (s *Store) Tweet(ctx context.Context, id string) (*schema.Tweet, error) {
	found, err := s.Lookup(ctx, []string{id})
	return found[id], err
}

// Lookup returns the tweets with the given ids that are stored, also referenced
// or superseded ones, in one call to Redis. Who asks for the same at the same
// moment shares the call and the answer.
func (s *Store) Lookup(ctx context.Context, ids []string) (map[string]*schema.Tweet, error) {
	return shared(ctx, s, s.lookups, strings.Join(ids, " "), func(ctx context.Context) (map[string]*schema.Tweet, error) {
		return s.Read(ctx, ids)
	})
}

// Read is Lookup with a call of its own: it sees all that was stored before it.
func (s *Store) Read(ctx context.Context, ids []string) (map[string]*schema.Tweet, error) {
	var keys []string
	for _, id := range ids {
		if schema.ValidID(id) {
			keys = append(keys, schema.TweetKey(id), schema.HiddenKey(id))
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	cmd := s.client.B().JsonMget().Key(keys...).Path(tweetPath).Build()
	values, err := within(ctx, s, func(ctx context.Context) ([]rueidis.RedisMessage, error) { return s.client.Do(ctx, cmd).ToArray() })
	if err != nil {
		return nil, fmt.Errorf("read tweets %s: %w", strings.Join(ids, ", "), err)
	}
	found := make(map[string]*schema.Tweet, len(ids))
	for i := range values {
		if values[i].IsNil() {
			continue
		}
		text, err := values[i].ToString()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", keys[i], err)
		}
		t, err := schema.ReadTweet(text, schema.AllParts)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", keys[i], err)
		}
		if found[t.ID] == nil { // while a tweet is shown or hidden it may have both keys
			found[t.ID] = t
		}
	}
	return found, nil
}

// tweetPath is schema.TweetPath in the older notation, which returns the value
// itself and not an array of matches.
const tweetPath = ".t"

// Status returns the status of the line.
func (s *Store) Status(ctx context.Context) (*schema.Status, error) {
	return within(ctx, s, func(ctx context.Context) (*schema.Status, error) { return line.Status(ctx, s.client) })
}

// LastStored returns the number of the last entry of the outbox: what is stored
// for the first time from now on has a higher one. It is 0 when there is none.
func (s *Store) LastStored(ctx context.Context) (uint64, error) {
	info, err := within(ctx, s, func(ctx context.Context) (map[string]rueidis.RedisMessage, error) {
		info, err := s.client.Do(ctx, s.client.B().XinfoStream().Key(schema.OutboxKey).Build()).AsMap()
		if e, ok := rueidis.IsRedisErr(err); ok && strings.Contains(e.Error(), "no such key") {
			return nil, nil // nothing was ever stored
		}
		return info, err
	})
	if err != nil || info == nil {
		return 0, err
	}
	last := info["last-generated-id"]
	id, err := last.ToString()
	if err != nil {
		return 0, fmt.Errorf("read the outbox: %w", err)
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(id, "0-"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the outbox: entry %s is of another program: remove %s", id, schema.OutboxKey)
	}
	return number, nil
}

// Ready returns nil once the index is there and complete.
func (s *Store) Ready(ctx context.Context) error { return index.Ready(ctx, s.client) }
