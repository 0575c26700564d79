package ingest

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

// fenceWait is how long WAITAOF may take; under appendfsync everysec a sync
// comes once a second.
const fenceWait = 5 * time.Second

// fence makes sure that what Redis executed is on its disk. It has a
// connection of its own, since WAITAOF holds up whatever comes behind it.
type fence struct {
	client rueidis.Client
	log    *slog.Logger
	off    bool // the server keeps no append-only file
}

// pass returns once everything that Redis executed before the call is synced
// to its append-only file, and the id of the server process that has done so: a
// process that died meanwhile took what it had not synced with it, and the new
// one's sync says nothing about that. WAITAOF covers the writes up to the last
// one of its own connection, hence the small write before it. Without an
// append-only file there is nothing to wait for: the writes then live as long
// as Redis' process.
func (f *fence) pass(ctx context.Context) (process string, err error) {
	err = f.client.Dedicated(func(c rueidis.DedicatedClient) error {
		if !f.off {
			if err := f.wait(ctx, c); err != nil {
				return err
			}
		}
		process, err = processOf(c.Do(ctx, c.B().Info().Section("server").Build()))
		return err
	})
	return process, err
}

func (f *fence) wait(ctx context.Context, c rueidis.DedicatedClient) error {
	replies := c.DoMulti(ctx,
		c.B().Incr().Key(schema.FenceKey).Build(),
		c.B().Waitaof().Numlocal(1).Numreplicas(0).Timeout(fenceWait.Milliseconds()).Build())
	if err := replies[0].Error(); err != nil {
		return fmt.Errorf("write fence: %w", err)
	}
	synced, err := replies[1].AsIntSlice()
	switch {
	case err != nil && strings.Contains(err.Error(), "appendonly is disabled"):
		f.off = true
		f.log.Warn("redis keeps no append-only file: tweets are safe only while its process lives; set appendonly yes")
		return nil
	case err != nil:
		return fmt.Errorf("wait for the append-only file: %w", err)
	case len(synced) == 0 || synced[0] < 1:
		return fmt.Errorf("wait for the append-only file: not synced within %s: tweets are acked only when it is: set appendfsync everysec", fenceWait)
	}
	return nil
}

// processOf returns the id of the server process in a reply to INFO server.
func processOf(r rueidis.RedisResult) (string, error) {
	info, err := r.ToString()
	if err != nil {
		return "", fmt.Errorf("read the server's id: %w", err)
	}
	for line := range strings.Lines(info) {
		if id, ok := strings.CutPrefix(line, "run_id:"); ok {
			return strings.TrimSpace(id), nil
		}
	}
	return "", errors.New("read the server's id: INFO server has no run_id")
}
