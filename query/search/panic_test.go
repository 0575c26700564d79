package search_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/rueidis"

	"visualizer/query/search"
	"visualizer/schema"
)

// brokenClient panics instead of sending a command while it is broken.
type brokenClient struct {
	rueidis.Client
	name   string // of the command
	broken atomic.Bool
}

func (c *brokenClient) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	if c.broken.Load() && cmd.Commands()[0] == c.name {
		panic("no " + c.name)
	}
	return c.Client.Do(ctx, cmd)
}

// TestPanic: a mistake in the program fails the requests that meet it, with an
// error that tells where, and no others.
func TestPanic(t *testing.T) {
	client := open(t)
	put(t, client, &schema.Tweet{ID: "1"})
	for _, tt := range []struct {
		command string
		order   search.Order
	}{
		{"FT.SEARCH", search.Newest},
		{"FT.AGGREGATE", search.Order{Field: search.OrderUsername}},
		{"FT.INFO", search.Newest},
	} {
		broken := &brokenClient{Client: client, name: tt.command}
		broken.broken.Store(true)
		store := search.NewCached(broken)
		request := search.Request{Order: tt.order, Want: search.Want{Tweets: schema.AllParts, Total: true}}
		if _, err := store.Tweets(deadline(t), request); err == nil || !strings.Contains(err.Error(), "panic: no "+tt.command) {
			t.Errorf("with a panic in %s: %v", tt.command, err)
		}
		broken.broken.Store(false)
		if page, err := store.Tweets(deadline(t), request); err != nil || len(page.Tweets) != 1 {
			t.Errorf("after a panic in %s: %v, %v", tt.command, page, err)
		}
	}
}
