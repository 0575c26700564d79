// Package index keeps the RediSearch index that schema defines: it creates it
// and tells when it is complete.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// Ensure creates the index when there is none. It never drops or changes one,
// and any number of services may do it at the same time; only what an earlier
// version left behind is dropped. Tweets that are stored
// already are indexed in the background, see Await. When there is an index with
// another definition, it stays the one that answers, and a Migration to the
// present one is returned.
func Ensure(ctx context.Context, client rueidis.Client, log *slog.Logger) (*Migration, error) {
	name := schema.IndexName()
	if present, err := Current(ctx, client); err == nil && schema.VersionOfIndex(present) > schema.IndexVersion {
		return nil, fmt.Errorf("index %s is %s, of a newer version of this program: run that version", schema.IndexAlias, present)
	}
	raisePrefixLimit(ctx, client, log)
	if err := create(ctx, client, log, schema.HiddenIndex, schema.HiddenIndexDefinition()); err != nil {
		return nil, err
	}
	if err := create(ctx, client, log, name, schema.IndexDefinition()); err != nil {
		return nil, err
	}
	alias := client.B().FtAliasadd().Alias(schema.IndexAlias).Index(name).Build()
	if err := client.Do(ctx, alias).Error(); err != nil && !says(err, "Alias already exists") {
		return nil, fmt.Errorf("name index %s %s: %w", name, schema.IndexAlias, err)
	}
	present, err := Current(ctx, client)
	if err != nil {
		return nil, err
	}
	if present == name {
		return nil, dropOld(ctx, client, log)
	}
	return &Migration{Old: present, New: name, client: client, log: log}, nil
}

// dropOld drops indexes of earlier definitions, once the present one answers: a
// migration may have been cut short between its last two steps.
func dropOld(ctx context.Context, client rueidis.Client, log *slog.Logger) error {
	names, err := client.Do(ctx, client.B().FtList().Build()).AsStrSlice()
	if err != nil {
		return fmt.Errorf("list indexes: %w", err)
	}
	for _, old := range names {
		if !strings.HasPrefix(old, schema.IndexAlias+":") || old == schema.IndexName() || schema.VersionOfIndex(old) > schema.IndexVersion {
			continue
		}
		if err := client.Do(ctx, client.B().FtDropindex().Index(old).Build()).Error(); err != nil && !gone(err) {
			return fmt.Errorf("drop index %s: %w", old, err)
		}
		log.Info("dropped an index of an earlier version", "index", old)
	}
	return nil
}

// gone reports whether an index is not there any more.
func gone(err error) bool { return says(err, "Unknown index name") || says(err, "no such index") }

// Current returns the name of the index that answers.
func Current(ctx context.Context, client rueidis.Client) (string, error) {
	info, err := read(ctx, client, schema.IndexAlias)
	if err != nil {
		return "", err
	}
	field := info["index_name"]
	name, err := field.ToString()
	if err != nil {
		return "", fmt.Errorf("read FT.INFO %s index_name: %w", schema.IndexAlias, err)
	}
	return name, nil
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

// Ready returns nil once the indexes are there and complete; before, a search
// would answer from a part of the tweets.
func Ready(ctx context.Context, client rueidis.Client) error {
	if err := complete(ctx, client, schema.IndexAlias); err != nil {
		return err
	}
	return complete(ctx, client, schema.HiddenIndex)
}

func complete(ctx context.Context, client rueidis.Client, name string) error {
	info, err := read(ctx, client, name)
	if err != nil {
		return err
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

func read(ctx context.Context, client rueidis.Client, name string) (map[string]rueidis.RedisMessage, error) {
	info, err := client.Do(ctx, client.B().FtInfo().Index(name).Build()).AsMap()
	if err == nil {
		return info, nil
	}
	if re, fromServer := rueidis.IsRedisErr(err); fromServer {
		if re.IsLoading() {
			return nil, errors.New("redis: it loads what is stored")
		}
		return nil, fmt.Errorf("index %s: %w: ingest creates it", name, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, errors.New("redis: no answer in time")
	}
	return nil, fmt.Errorf("redis: %w", err)
}

// Count returns how many documents the index holds, whatever their number in
// the same time.
func Count(ctx context.Context, client rueidis.Client) (int, error) {
	info, err := read(ctx, client, schema.IndexAlias)
	if err != nil {
		return 0, err
	}
	field := info["num_docs"]
	n, err := field.AsInt64()
	if err != nil {
		return 0, fmt.Errorf("read FT.INFO %s num_docs: %w", schema.IndexAlias, err)
	}
	return int(n), nil
}

// Failures returns how many documents the index has refused. A tweet among
// them is stored and not found, so it is always 0, or this program has a fault.
func Failures(ctx context.Context, client rueidis.Client) (int64, error) {
	info, err := read(ctx, client, schema.IndexAlias)
	if err != nil {
		return 0, err
	}
	field := info["hash_indexing_failures"]
	return field.AsInt64()
}

// Fields returns the names of the fields of the index that answers.
func Fields(ctx context.Context, client rueidis.Client) ([]string, error) {
	info, err := read(ctx, client, schema.IndexAlias)
	if err != nil {
		return nil, err
	}
	list := info["attributes"]
	attributes, err := list.ToArray()
	if err != nil {
		return nil, fmt.Errorf("read FT.INFO %s attributes: %w", schema.IndexAlias, err)
	}
	var names []string
	for i := range attributes {
		attribute, err := attributes[i].AsMap()
		if err != nil {
			return nil, fmt.Errorf("read FT.INFO %s attributes: %w", schema.IndexAlias, err)
		}
		field := attribute["attribute"]
		name, err := field.ToString()
		if err != nil {
			return nil, fmt.Errorf("read FT.INFO %s attributes: %w", schema.IndexAlias, err)
		}
		names = append(names, name)
	}
	return names, nil
}

// pollEvery is how often one looks whether an index is complete.
const pollEvery = 50 * time.Millisecond

// Await returns when the indexes are complete: what is written while one is
// built may be missing in it.
func Await(ctx context.Context, client rueidis.Client, log *slog.Logger) error {
	return await(ctx, log, func() error { return Ready(ctx, client) })
}

// await returns when ready does not fail any more.
func await(ctx context.Context, log *slog.Logger, ready func() error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	told := false
	for {
		err := ready()
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
