package words

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"go.uber.org/goleak"

	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// definition is an index with the words of a text, as the real one has them, and
// a tag beside them.
func definition() []string {
	return slices.Concat(schema.IndexOptions("t:"), schema.WordsField("$.w"), []string{"$.half", "AS", "half", "TAG"})
}

// store is a Redis with an index of texts.
type store struct {
	client rueidis.Client
	words  [][]string // of each text
}

func newStore(t testing.TB) *store {
	t.Helper()
	s := &store{client: stacktest.Redis(t, stacktest.Start(t))}
	create := s.client.B().Arbitrary("FT.CREATE").Keys("texts").Args(definition()...).Build()
	if err := s.client.Do(t.Context(), create).Error(); err != nil {
		t.Fatal(err)
	}
	return s
}

// add stores texts and fails when the index does not take each.
func (s *store) add(t testing.TB, texts ...string) {
	t.Helper()
	var commands rueidis.Commands
	for _, text := range texts {
		s.words = append(s.words, schema.Words(text))
		commands = append(commands, s.set(t, len(s.words)-1))
	}
	for chunk := range slices.Chunk(commands, 500) {
		for _, reply := range s.client.DoMulti(t.Context(), chunk...) {
			if err := reply.Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found, err := s.search(t.Context(), "*", nil); err != nil || len(found) != len(s.words) {
		t.Fatalf("the index holds %d of %d texts, %v", len(found), len(s.words), err)
	}
}

// set is the command that stores a text.
func (s *store) set(t testing.TB, n int) rueidis.Completed {
	t.Helper()
	doc, err := schema.Encode(map[string]string{"w": schema.IndexText(s.words[n]), "half": strconv.Itoa(n % 2)})
	if err != nil {
		t.Fatal(err)
	}
	return s.client.B().Arbitrary("JSON.SET").Keys("t:"+strconv.Itoa(n)).Args("$", string(doc)).Build()
}

// find returns the numbers of the texts that Redis finds for q; those of one
// half only, unless half is "".
func (s *store) find(ctx context.Context, q *Query, half string) ([]int, error) {
	query, params := expression(q, half)
	return s.search(ctx, query, params)
}

// expression is a whole query in disjunctive form.
func expression(q *Query, half string) (query string, params []string) {
	branches := q.Clauses(func(token string) string {
		name := "p" + strconv.Itoa(len(params)/2)
		params = append(params, name, token)
		return name
	})
	parts := make([]string, len(branches))
	for i, clauses := range branches {
		if half != "" {
			parts[i] = "@half:{" + half + "} "
		}
		for _, c := range clauses {
			parts[i] += c.String() + " "
		}
		parts[i] = "(" + parts[i] + ")"
	}
	return strings.Join(parts, "|"), params
}

func (s *store) search(ctx context.Context, query string, params []string) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	args := []string{query, "VERBATIM", "NOCONTENT", "LIMIT", "0", "1000000", "TIMEOUT", "10000"}
	if len(params) > 0 {
		args = append(append(args, "PARAMS", strconv.Itoa(len(params))), params...)
	}
	reply, err := s.client.Do(ctx, s.client.B().Arbitrary("FT.SEARCH").Keys("texts").Args(append(args, "DIALECT", "2")...).Build()).AsMap()
	if err != nil {
		return nil, err
	}
	return read(reply)
}

func read(reply map[string]rueidis.RedisMessage) ([]int, error) {
	warnings, total, results := reply["warning"], reply["total_results"], reply["results"]
	if w, _ := warnings.AsStrSlice(); len(w) > 0 {
		return nil, fmt.Errorf("warned: %q", w)
	}
	hits, err := results.ToArray()
	if err != nil {
		return nil, err
	}
	found := make([]int, len(hits))
	for i := range hits {
		hit, err := hits[i].AsMap()
		if err != nil {
			return nil, err
		}
		id := hit["id"]
		key, err := id.ToString()
		if err != nil {
			return nil, err
		}
		if found[i], err = strconv.Atoi(strings.TrimPrefix(key, "t:")); err != nil {
			return nil, err
		}
	}
	if n, err := total.AsInt64(); err != nil || int(n) != len(found) {
		return nil, fmt.Errorf("total is %d, rows are %d, %v", n, len(found), err)
	}
	slices.Sort(found)
	return found, nil
}

// matching returns the numbers of the texts that match q.
func (s *store) matching(q *Query, half string) []int {
	found := []int{}
	for i, words := range s.words {
		if (half == "" || half == strconv.Itoa(i%2)) && q.Match(words) {
			found = append(found, i)
		}
	}
	return found
}

// check compares what Redis finds with what matches.
func (s *store) check(t testing.TB, text, half string) {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	found, err := s.find(t.Context(), q, half)
	if err != nil {
		t.Errorf("search %q (%s): %v", text, q.Canonical(), err)
		return
	}
	if want := s.matching(q, half); !slices.Equal(found, want) {
		t.Errorf("search %q (%s) in half %q finds %d texts, %d match: %s", text, q.Canonical(), half, len(found), len(want), s.difference(found, want))
	}
}

func (s *store) difference(found, want []int) string {
	for _, n := range found {
		if !slices.Contains(want, n) {
			return fmt.Sprintf("finds %.200q, which doesn't match", s.words[n])
		}
	}
	for _, n := range want {
		if !slices.Contains(found, n) {
			return fmt.Sprintf("doesn't find %.200q", s.words[n])
		}
	}
	return "rows repeat"
}
