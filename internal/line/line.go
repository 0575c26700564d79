// Package line reads from Redis how the line from the sources to the store is
// doing.
package line

import (
	"context"
	"fmt"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// Status returns the status of the line.
func Status(ctx context.Context, client rueidis.Client) (*schema.Status, error) {
	replies := client.DoMulti(ctx,
		client.B().Hgetall().Key(schema.StatusKey).Build(),
		client.B().Exists().Key(schema.HeartbeatKey).Build())
	fields, err := replies[0].AsStrMap()
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	alive, err := replies[1].AsBool()
	if err != nil {
		return nil, fmt.Errorf("read heartbeat: %w", err)
	}
	return schema.ParseStatus(fields, alive), nil
}
