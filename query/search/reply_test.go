package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// TestIncompleteReply: a search that ran out of time is an error, whether the
// server says so as an error or as a warning beside the rows it has found.
func TestIncompleteReply(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := stacktest.Redis(t, stacktest.Start(t))
	if _, err := index.Ensure(ctx, client, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	const n = 30_000
	var cmds rueidis.Commands
	for i := range n {
		at := schema.Time(i)
		json, err := schema.Encode(schema.NewDocument(schema.Tweet{ID: fmt.Sprint(i + 1), CreatedAt: &at}, schema.Ranks{}))
		if err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, client.B().JsonSet().Key(schema.TweetKey(fmt.Sprint(i+1))).Path("$").Value(string(json)).Build())
	}
	for _, r := range client.DoMulti(ctx, cmds...) {
		if r.Error() != nil {
			t.Fatal(r.Error())
		}
	}
	for _, policy := range []string{"FAIL", "RETURN"} {
		if err := client.Do(ctx, client.B().Arbitrary("FT.CONFIG", "SET", "ON_TIMEOUT", policy).Build()).Error(); err != nil {
			t.Fatal(err)
		}
		w := walk{list: Order{Field: OrderUsername}}
		for name, c := range map[string]call{
			"sorted":  {name: "FT.SEARCH", query: "*", args: []string{"SORTBY", schema.FieldCreatedAt, "LIMIT", "0", fmt.Sprint(n)}},
			"ordered": ordered("*", w, w.segments()[0], n/2, n),
			"number":  number("@" + schema.FieldCreatedAt + ":[0 +inf] @" + schema.FieldSeq + ":[-inf +inf] -(@" + schema.FieldHasGeo + ":{1})"),
		} {
			c.limit = time.Millisecond
			reply, err := New(client).ask(ctx, nil, c)
			whole := name == "number" && reply.total == n // a machine may be fast
			if !errors.Is(err, ErrTimeout) && !whole {
				t.Errorf("policy %s, %s: total %d, %d rows of %d, error %v, want %v", policy, name, reply.total, len(reply.rows), n, err, ErrTimeout)
			}
		}
	}
}
