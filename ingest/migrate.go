package ingest

import (
	"context"
	"fmt"
	"strings"

	"github.com/cenkalti/backoff/v5"

	"visualizer/internal/index"
	"visualizer/schema"
)

// migrate brings what is stored to the present index definition while the line
// runs: first each document, then the index over them. Until that is complete
// the old index answers.
func (w *Writer) migrate(ctx context.Context, m *index.Migration) error {
	w.log.Info("building a new index beside the old", "old", m.Old, "new", m.New)
	for _, prefix := range []string{schema.TweetPrefix, schema.HiddenPrefix} {
		if err := w.touchAll(ctx, prefix); err != nil {
			return err
		}
	}
	return m.Finish(ctx)
}

// scanCount is about how many keys one SCAN returns.
const scanCount = 500

// touchAll touches every document whose key begins with prefix. Documents that
// come meanwhile are of this version, or of a service that runs an older one.
func (w *Writer) touchAll(ctx context.Context, prefix string) error {
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		touched, next, err := w.scan(ctx, prefix, cursor)
		if err != nil {
			return err
		}
		if err := w.storeTouches(ctx, touched); err != nil {
			return err
		}
		cursor = next
	}
	return nil
}

// scan returns touches of some documents, and where to go on.
func (w *Writer) scan(ctx context.Context, prefix string, cursor uint64) (touched []work, next uint64, err error) {
	client := w.all.client
	_, err = backoff.Retry(ctx, func() (struct{}, error) {
		entry, err := client.Do(ctx, client.B().Scan().Cursor(cursor).Match(prefix+"*").Count(scanCount).Build()).AsScanEntry()
		if err != nil {
			return struct{}{}, fmt.Errorf("scan %s: %w", prefix, err)
		}
		touched, next = nil, entry.Cursor
		for _, key := range entry.Elements {
			if id := strings.TrimPrefix(key, prefix); schema.ValidID(id) {
				touched = append(touched, touch(id))
			}
		}
		return struct{}{}, nil
	}, backoff.WithBackOff(retryPolicy()), backoff.WithMaxElapsedTime(0), backoff.WithNotify(w.notify("read what is stored")))
	return touched, next, err
}
