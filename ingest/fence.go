package ingest

import (
	"context"
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
// to its append-only file. WAITAOF covers the writes up to the last one of its
// own connection, hence the small write before it. Without such a file there
// is nothing to wait for: the writes then live as long as Redis' process.
func (f *fence) pass(ctx context.Context) error {
	if f.off {
		return nil
	}
	return f.client.Dedicated(func(c rueidis.DedicatedClient) error {
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
			return fmt.Errorf("wait for the append-only file: not synced within %s", fenceWait)
		}
		return nil
	})
}
