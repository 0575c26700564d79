// Package index keeps the RediSearch index that schema defines: it creates it
// and tells when it is complete.
package index

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// Ensure creates the index when there is none, and never drops or changes one:
// any number of services may do it at the same time. Tweets that are stored
// already are indexed in the background, see Await.
func Ensure(ctx context.Context, client rueidis.Client, log *slog.Logger) error {
	if err := create(ctx, client, log, schema.HiddenIndex, schema.HiddenIndexDefinition()); err != nil {
		return err
	}
	name := schema.IndexName()
	if err := create(ctx, client, log, name, schema.IndexDefinition()); err != nil {
		return err
	}
	alias := client.B().FtAliasadd().Alias(schema.IndexAlias).Index(name).Build()
	if err := client.Do(ctx, alias).Error(); err != nil && !says(err, "Alias already exists") {
		return fmt.Errorf("name index %s %s: %w", name, schema.IndexAlias, err)
	}
	return checkAlias(ctx, client, name)
}

func create(ctx context.Context, client rueidis.Client, log *slog.Logger, name string, definition []string) error {
	err := client.Do(ctx, client.B().Arbitrary("FT.CREATE").Keys(name).Args(definition...).Build()).Error()
	switch {
	case err == nil:
		log.Info("created the index", "index", name)
	case says(err, "Index already exists"):
	case says(err, "unknown command"):
		return fmt.Errorf("create index %s: this Redis has no search module: give --redis-url of a Redis 8", name)
	default:
		return fmt.Errorf("create index %s: %w", name, err)
	}
	return nil
}

func says(err error, text string) bool {
	return err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(text))
}

// checkAlias fails when queries would be answered by an index with another
// definition.
func checkAlias(ctx context.Context, client rueidis.Client, name string) error {
	info, err := client.Do(ctx, client.B().FtInfo().Index(schema.IndexAlias).Build()).AsMap()
	if err != nil {
		return fmt.Errorf("read index %s: %w", schema.IndexAlias, err)
	}
	field := info["index_name"]
	if found, err := field.ToString(); err != nil || found != name {
		return fmt.Errorf("index %s is %s, this version needs %s: once FT.INFO shows that as complete, run FT.ALIASUPDATE %s %s",
			schema.IndexAlias, found, name, schema.IndexAlias, name)
	}
	return nil
}

// Ready returns nil once the indexes are there and complete; before, a search
// would answer from a part of the tweets.
func Ready(ctx context.Context, client rueidis.Client) error {
	if err := complete(ctx, client, schema.IndexAlias); err != nil {
		return err
	}
	return complete(ctx, client, schema.HiddenIndex)
}

func complete(ctx context.Context, client rueidis.Client, name string) error {
	info, err := client.Do(ctx, client.B().FtInfo().Index(name).Build()).AsMap()
	if err != nil {
		if _, fromServer := rueidis.IsRedisErr(err); fromServer {
			return fmt.Errorf("index %s: %w: ingest creates it", name, err)
		}
		return fmt.Errorf("redis: %w", err)
	}
	indexing, percent := info["indexing"], info["percent_indexed"]
	busy, err := indexing.AsInt64()
	if err != nil {
		return fmt.Errorf("read FT.INFO %s indexing: %w", name, err)
	}
	done, err := percent.AsFloat64()
	if err != nil {
		return fmt.Errorf("read FT.INFO %s percent_indexed: %w", name, err)
	}
	if busy != 0 || done < 1 {
		return fmt.Errorf("index %s is being built: %.0f %%", name, done*100)
	}
	return nil
}

// pollEvery is how often Await looks.
const pollEvery = 50 * time.Millisecond

// Await returns when the index is complete: what is written while one is built
// may be missing in it.
func Await(ctx context.Context, client rueidis.Client, log *slog.Logger) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	told := false
	for {
		err := Ready(ctx, client)
		if err == nil {
			return nil
		}
		if !told {
			log.Info("waiting for the index", "state", err)
		}
		told = true
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for index %s: %w", schema.IndexAlias, err)
		case <-tick.C:
		}
	}
}
