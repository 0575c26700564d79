package ingest

import (
	"context"
	"fmt"
	"strings"

	"github.com/cenkalti/backoff/v5"
	"github.com/redis/rueidis"

	"visualizer/schema"
)

// authoredLimit is more than any one user has written.
const authoredLimit = "1000000"

// authored returns the ids of all stored tweets of a user, hidden ones
// included. It tries until Redis answers or ctx ends.
func (w *Writer) authored(ctx context.Context, user string) ([]string, error) {
	return backoff.Retry(ctx, func() ([]string, error) {
		var ids []string
		for index, prefix := range map[string]string{schema.IndexAlias: schema.TweetPrefix, schema.HiddenIndex: schema.HiddenPrefix} {
			found, err := w.authoredIn(ctx, index, user)
			if err != nil {
				w.metrics.storeFailures.Inc()
				return nil, err
			}
			for _, key := range found {
				ids = append(ids, strings.TrimPrefix(key, prefix))
			}
		}
		return ids, nil
	}, backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(w.notify("find tweets of a user")))
}

// authoredIn returns the keys of an index that are of a user. A reply that is
// not complete is an error.
func (w *Writer) authoredIn(ctx context.Context, index, user string) ([]string, error) {
	client := w.all.client
	cmd := client.B().Arbitrary("FT.SEARCH").Keys(index).Args("@"+schema.FieldAuthorID+":{$user}", "NOCONTENT", "LIMIT", "0", authoredLimit,
		"PARAMS", "2", "user", schema.TagValue(user), "TIMEOUT", "10000", "DIALECT", "2").ReadOnly()
	reply, err := client.Do(ctx, cmd).AsMap()
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", index, err)
	}
	warning := reply["warning"]
	if texts, err := warning.AsStrSlice(); err == nil && len(texts) > 0 {
		return nil, fmt.Errorf("search %s: %s", index, strings.Join(texts, "; "))
	}
	results := reply["results"]
	hits, err := results.ToArray()
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", index, err)
	}
	keys := make([]string, len(hits))
	for i := range hits {
		if keys[i], err = hitKey(&hits[i]); err != nil {
			return nil, fmt.Errorf("search %s: %w", index, err)
		}
	}
	return keys, nil
}

func hitKey(hit *rueidis.RedisMessage) (string, error) {
	fields, err := hit.AsMap()
	if err != nil {
		return "", err
	}
	id := fields["id"]
	return id.ToString()
}
