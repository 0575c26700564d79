package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/redis/rueidis"

	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// TestMigration starts the line on tweets that an older version stored, under
// an index that lacks a field, with documents that lack its value. Nothing is
// ever missing from an answer meanwhile, what needs the field is refused until
// it is there, and then it is right, for old tweets and new ones.
func TestMigration(t *testing.T) {
	t.Parallel()
	const old = 20_000
	data := t.TempDir()
	storeOld(t, data, old)
	cfg := settings(data, "sim")
	cfg.Rate = new(float64(200))
	l := start(t, cfg)
	type totals struct{ Tweets, Langs *struct{ TotalCount int } }
	refused := 0
	var last totals
	eventually(t, "tweets are found by the new field", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		a, err := try[totals](ctx, l.url, `{ tweets { totalCount } langs: tweets(filter: {langs: ["qq"]}) { totalCount } }`, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.Data.Tweets == nil || a.Data.Tweets.TotalCount < old {
			t.Fatalf("of %d old tweets this is found: %+v", old, a)
		}
		if a.Data.Langs == nil {
			if len(a.Errors) != 1 || a.Errors[0].Extensions.Code != "SERVICE_UNAVAILABLE" {
				t.Fatalf("the new field is refused with %+v", a.Errors)
			}
			refused++
			return false
		}
		last = a.Data
		return true
	})
	if last.Langs.TotalCount != old {
		t.Errorf("by the new field %d tweets are found, want %d", last.Langs.TotalCount, old)
	}
	if refused == 0 {
		t.Error("the new field was there at once: the test shows nothing")
	}
	eventually(t, "new tweets are found", func() bool { return ask[totals](l, `{ tweets { totalCount } }`, nil).Tweets.TotalCount > old })
	client := redisOf(t, data)
	defer client.Close()
	eventually(t, "the old index is gone", func() bool {
		names, err := client.Do(t.Context(), client.B().FtList().Build()).AsStrSlice()
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		return slices.Equal(names, []string{schema.HiddenIndex, schema.IndexName()})
	})
	checkIndex(t, client)
}

// storeOld stores documents as a version without languages did.
func storeOld(t *testing.T, data string, n int) {
	t.Helper()
	servers := stacktest.Start(t, stacktest.Data(data))
	client := redisAt(t, servers.RedisURL())
	definition := slices.Clone(schema.IndexDefinition())
	i := slices.Index(definition, "$.ix."+schema.FieldLang)
	definition = slices.Delete(definition, i, i+5) // path AS name TAG CASESENSITIVE
	const name = "tweets:0:0ld"
	cmds := rueidis.Commands{
		client.B().Arbitrary("FT.CREATE").Keys(name).Args(definition...).Build(),
		client.B().FtAliasadd().Alias(schema.IndexAlias).Index(name).Build(),
	}
	for i := range n {
		at := schema.Time(1_600_000_000_000 + i)
		doc := schema.NewDocument(schema.Tweet{ID: fmt.Sprint(i + 1), CreatedAt: &at, Lang: "qq"}, schema.Ranks{})
		doc.Own, doc.Index.Lang = true, ""
		json, err := schema.Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, client.B().JsonSet().Key(doc.Key()).Path("$").Value(string(json)).Build())
	}
	for _, r := range client.DoMulti(t.Context(), cmds...) {
		if r.Error() != nil {
			t.Fatal(r.Error())
		}
	}
	client.Close()
	if err := servers.Close(); err != nil {
		t.Fatal(err)
	}
}

func redisAt(t *testing.T, url string) rueidis.Client {
	t.Helper()
	option, err := rueidis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	option.DisableCache = true
	client, err := rueidis.NewClient(option)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// redisOf connects to the Redis of a line that runs on a data folder.
func redisOf(t *testing.T, data string) rueidis.Client {
	return redisAt(t, "unix://"+filepath.Join(data, "redis", "redis.sock"))
}

// checkIndex compares the index with the keys: each tweet is in it, and none
// was refused.
func checkIndex(t *testing.T, client rueidis.Client) {
	t.Helper()
	keys := 0
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		entry, err := client.Do(t.Context(), client.B().Scan().Cursor(cursor).Match(schema.TweetPrefix+"*").Count(1000).Build()).AsScanEntry()
		if err != nil {
			t.Fatal(err)
		}
		keys += len(entry.Elements)
		cursor = entry.Cursor
	}
	info, err := client.Do(t.Context(), client.B().FtInfo().Index(schema.IndexAlias).Build()).AsMap()
	if err != nil {
		t.Fatal(err)
	}
	docs, failures := info["num_docs"], info["hash_indexing_failures"]
	indexed, err := docs.AsInt64()
	if err != nil {
		t.Fatal(err)
	}
	failed, err := failures.AsInt64()
	if err != nil {
		t.Fatal(err)
	}
	if failed != 0 || int(indexed) < keys {
		t.Errorf("%d keys, %d indexed, %d refused", keys, indexed, failed)
	}
}
