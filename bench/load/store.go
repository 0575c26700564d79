package load

import (
	"context"
	"fmt"

	"github.com/redis/rueidis"
	"golang.org/x/sync/errgroup"

	"visualizer/schema"
)

const (
	writers = 4
	// pipeline is how many documents a writer sends at once.
	pipeline = 256
)

// store makes the tweets, and writes them through several connections.
func (d *Data) store(ctx context.Context, cfg Config) error {
	g, ctx := errgroup.WithContext(ctx)
	batches := make(chan []*schema.Tweet, writers)
	g.Go(func() error {
		defer close(batches)
		return d.makeBatches(ctx, batches)
	})
	for range writers {
		g.Go(func() error {
			for batch := range batches {
				if err := write(ctx, d.Client, batch); err != nil {
					return err
				}
				if cfg.Loaded != nil {
					cfg.Loaded(len(batch))
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// makeBatches sends the tweets, oldest first, and notes the facts of them.
func (d *Data) makeBatches(ctx context.Context, to chan<- []*schema.Tweet) error {
	var batch []*schema.Tweet
	i := 0
	tweets(d.Size, func(t *schema.Tweet) bool {
		d.add(i, t)
		i++
		if batch = append(batch, t); len(batch) < pipeline && i < d.Size {
			return true
		}
		select {
		case to <- batch:
			batch = nil
			return true
		case <-ctx.Done():
			return false
		}
	})
	d.finish()
	return ctx.Err()
}

// write stores tweets as ingest would, in one pipeline.
func write(ctx context.Context, client rueidis.Client, batch []*schema.Tweet) error {
	commands := make([]rueidis.Completed, len(batch))
	for i, t := range batch {
		document := schema.NewDocument(*t, schema.Ranks{})
		document.Own = true
		encoded, err := schema.Encode(document)
		if err != nil {
			return fmt.Errorf("encode tweet %s: %w", t.ID, err)
		}
		commands[i] = client.B().JsonSet().Key(document.Key()).Path("$").Value(rueidis.BinaryString(encoded)).Build()
	}
	for i, reply := range client.DoMulti(ctx, commands...) {
		if err := reply.Error(); err != nil {
			return fmt.Errorf("store tweet %s: %w", batch[i].ID, err)
		}
	}
	return nil
}
