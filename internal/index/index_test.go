package index_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"visualizer/internal/index"
	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) (context.Context, rueidis.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	client := stacktest.Redis(t, stacktest.Start(t))
	return ctx, client
}

var quiet = slog.New(slog.DiscardHandler)

// TestTogether starts services at the same time, again and again: each ends up
// with the one index, which keeps what it holds.
func TestTogether(t *testing.T) {
	ctx, client := open(t)
	for round := range 5 {
		var g errgroup.Group
		for range 8 {
			g.Go(func() error {
				if _, err := index.Ensure(ctx, client, quiet); err != nil {
					return err
				}
				return index.Await(ctx, client, quiet)
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		put(t, ctx, client, round*10, 10)
		if n := count(t, ctx, client); n != (round+1)*10 {
			t.Fatalf("round %d: the index has %d documents, want %d", round, n, (round+1)*10)
		}
	}
}

// TestOtherVersions: an index that an earlier version left behind is dropped,
// one of a newer version is left alone and refused, with nothing made beside it.
func TestOtherVersions(t *testing.T) {
	ctx, client := open(t)
	create := func(name string) {
		cmd := client.B().Arbitrary("FT.CREATE").Keys(name).Args(schema.IndexDefinition()...).Build()
		if err := client.Do(ctx, cmd).Error(); err != nil {
			t.Fatal(err)
		}
	}
	list := func() []string {
		names, err := client.Do(ctx, client.B().FtList().Build()).AsStrSlice()
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		return names
	}
	create("tweets:99:new")
	if err := client.Do(ctx, client.B().FtAliasadd().Alias(schema.IndexAlias).Index("tweets:99:new").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	if _, err := index.Ensure(ctx, client, quiet); err == nil || !slices.Equal(list(), []string{"tweets:99:new"}) {
		t.Errorf("beside an index of a newer version: %v, %v", err, list())
	}
	if err := client.Do(ctx, client.B().FtDropindex().Index("tweets:99:new").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	create("tweets:0:old")
	if m, err := index.Ensure(ctx, client, quiet); m != nil || err != nil {
		t.Errorf("beside an index that was left behind: %v, %v", m, err)
	}
	if want := []string{schema.HiddenIndex, schema.IndexName()}; !slices.Equal(list(), want) {
		t.Errorf("the indexes are %v, want %v", list(), want)
	}
}

// TestNotReady: an index that is missing, or still being built over documents
// that were there before, is not ready; once it is, it has all of them.
func TestNotReady(t *testing.T) {
	ctx, client := open(t)
	if err := index.Ready(ctx, client); err == nil {
		t.Error("an index that is missing is ready")
	}
	const n = 20_000
	put(t, ctx, client, 0, n)
	if _, err := index.Ensure(ctx, client, quiet); err != nil {
		t.Fatal(err)
	}
	if err := index.Ready(ctx, client); err == nil {
		t.Errorf("an index just created over %d documents is ready", n)
	}
	if err := index.Await(ctx, client, quiet); err != nil {
		t.Fatal(err)
	}
	if got := count(t, ctx, client); got != n {
		t.Errorf("a ready index has %d documents of %d", got, n)
	}
}

// TestNoFailures: whatever a tweet holds, its document is in the index.
func TestNoFailures(t *testing.T) {
	ctx, client := open(t)
	if _, err := index.Ensure(ctx, client, quiet); err != nil {
		t.Fatal(err)
	}
	far, past := schema.Time(253_402_300_799_999), schema.Time(-62_135_596_800_000)
	tweets := []schema.Tweet{
		{ID: "1"},
		{ID: "9999999999999999999", CreatedAt: &far},
		{ID: "2", CreatedAt: &past, Hashtags: []string{"", " ", "\x00", "a\\|b", string(make([]byte, 5000))}},
		{ID: "3", Author: &schema.User{ID: "4", Username: " \t"}, Lang: "\\"},
		{ID: "5", Location: schema.NewLocation(85.05112878, -180)},
	}
	for _, tw := range tweets {
		set(t, ctx, client, tw)
	}
	info, err := client.Do(ctx, client.B().FtInfo().Index(schema.IndexAlias).Build()).AsMap()
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int64{"num_docs": int64(len(tweets)), "hash_indexing_failures": 0} {
		value := info[field]
		if got, err := value.AsInt64(); err != nil || got != want {
			t.Errorf("%s is %d, want %d (%v)", field, got, want, err)
		}
	}
}

func put(t *testing.T, ctx context.Context, client rueidis.Client, from, n int) {
	t.Helper()
	var cmds rueidis.Commands
	for i := range n {
		cmds = append(cmds, setCommand(t, client, schema.Tweet{ID: fmt.Sprint(from + i + 1), Hashtags: []string{"a", "b"}}))
	}
	for _, r := range client.DoMulti(ctx, cmds...) {
		if r.Error() != nil {
			t.Fatal(r.Error())
		}
	}
}

func set(t *testing.T, ctx context.Context, client rueidis.Client, tw schema.Tweet) {
	t.Helper()
	if err := client.Do(ctx, setCommand(t, client, tw)).Error(); err != nil {
		t.Fatal(err)
	}
}

func setCommand(t *testing.T, client rueidis.Client, tw schema.Tweet) rueidis.Completed {
	t.Helper()
	json, err := schema.Encode(schema.NewDocument(tw, schema.Ranks{}))
	if err != nil {
		t.Fatal(err)
	}
	return client.B().JsonSet().Key(schema.TweetKey(tw.ID)).Path("$").Value(string(json)).Build()
}

func count(t *testing.T, ctx context.Context, client rueidis.Client) int {
	t.Helper()
	cmd := client.B().Arbitrary("FT.SEARCH").Keys(schema.IndexAlias).Args("*", "LIMIT", "0", "0", "DIALECT", "2").ReadOnly()
	reply, err := client.Do(ctx, cmd).AsMap()
	if err != nil {
		t.Fatal(err)
	}
	total := reply["total_results"]
	n, err := total.AsInt64()
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}
