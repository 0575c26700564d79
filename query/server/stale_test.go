package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"visualizer/query/cache"
	"visualizer/query/search"
	"visualizer/schema"
)

// staleEdge is an edge with caches, asked by two operations for one page.
type staleEdge struct {
	t    *testing.T
	edge *Edge
}

func newStaleEdge(t *testing.T, e *edge) staleEdge {
	return staleEdge{t, New(Config{Store: search.NewCached(e.redis), Deadline: 20 * time.Second, Access: testAccess, Log: slog.New(slog.DiscardHandler)})}
}

// total asks for a page by one of two texts.
func (s staleEdge) total(text int) string {
	body := fmt.Sprintf(`{"query":"{tweets {totalCount nodes {id}}} # %d"}`, text)
	req := httptest.NewRequest(http.MethodPost, PathGraphQL, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	s.edge.ServeHTTP(rec, req)
	got := rec.Body.String()
	if _, rest, ok := strings.Cut(got, `"totalCount":`); ok {
		n, _, _ := strings.Cut(rest, ",")
		return n
	}
	s.t.Fatalf("answered %s", got)
	return ""
}

// TestWritesAreSeen: however operations share pages, what was stored in a
// transaction of the writer is seen at once by all of them.
func TestWritesAreSeen(t *testing.T) {
	e := newEdge(t)
	s := newStaleEdge(t, e)
	for i := range 12 {
		doc := schema.NewDocument(schema.Tweet{ID: fmt.Sprint(i + 1)}, schema.Ranks{})
		doc.Own = true
		text, err := schema.Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		s.total(0)
		for _, r := range e.redis.DoMulti(t.Context(), rueidis.Commands{
			e.redis.B().Multi().Build(), e.redis.B().JsonSet().Key(doc.Key()).Path("$").Value(string(text)).Build(),
			e.redis.B().Incr().Key(schema.LaneKeys()[0]).Build(), e.redis.B().Exec().Build(),
		}...) {
			if err := r.Error(); err != nil {
				t.Fatal(err)
			}
		}
		stored := time.Now()
		s.total(1)
		for text := range 2 {
			for want := fmt.Sprint(i + 1); ; {
				asked := time.Since(stored)
				if s.total(text) == want {
					break
				}
				if asked > cache.MaxAge/2 {
					t.Fatalf("write %d is not seen by operation %d after %v", i, text, asked)
				}
			}
		}
	}
}

// TestChangesBehindTheWriter: what somebody changed otherwise is seen within
// MaxAge, however answers are made of answers.
func TestChangesBehindTheWriter(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7"}, schema.Tweet{ID: "8"})
	s := newStaleEdge(t, e)
	s.total(0)
	if err := e.redis.Do(t.Context(), e.redis.B().Del().Key(schema.TweetKey("7")).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	gone := time.Now()
	for text := 0; ; text = 1 - text {
		asked := time.Since(gone)
		if s.total(text) == "1" {
			return
		}
		if asked > cache.MaxAge {
			t.Fatalf("a deleted tweet is counted after %v", asked)
		}
	}
}
