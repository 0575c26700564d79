package index

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// Migration leads from the index that answers to one with the present
// definition, which stands beside it. Both take every write meanwhile, since
// they index the same keys. It may be done by several services at once, and
// begun again after a crash.
type Migration struct {
	Old, New string
	client   rueidis.Client
	log      *slog.Logger
}

// Finish waits until the new index is complete, has it answer, and drops the
// old one; documents are not touched.
func (m *Migration) Finish(ctx context.Context) error {
	if err := await(ctx, m.log, func() error { return complete(ctx, m.client, m.New) }); err != nil {
		return err
	}
	update := m.client.B().FtAliasupdate().Alias(schema.IndexAlias).Index(m.New).Build()
	if err := m.client.Do(ctx, update).Error(); err != nil {
		return fmt.Errorf("name index %s %s: %w", m.New, schema.IndexAlias, err)
	}
	m.log.Info("switched to the new index", "old", m.Old, "new", m.New)
	return dropOld(ctx, m.client, m.log)
}
