// Package line reads from Redis how the line from the sources to the store is
// doing, and starts and stops it there.
package line

import (
	"context"
	"fmt"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

// Status returns the status of the line.
func Status(ctx context.Context, client rueidis.Client) (*schema.Status, error) {
	services, err := Services(ctx, client)
	if err != nil {
		return nil, err
	}
	fields, err := client.Do(ctx, client.B().Hgetall().Key(schema.StatusKey).Build()).AsStrMap()
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	control, err := Control(ctx, client)
	if err != nil {
		return nil, err
	}
	return schema.ParseStatus(fields, services, control)
}

// Control returns what startStream and stopStream asked for last.
func Control(ctx context.Context, client rueidis.Client) (schema.Control, error) {
	fields, err := client.Do(ctx, client.B().Hgetall().Key(schema.ControlKey).Build()).AsStrMap()
	if err != nil {
		return schema.Control{}, fmt.Errorf("read control: %w", err)
	}
	return schema.ParseControl(fields), nil
}

// Services returns what each ingest service that is alive is doing.
func Services(ctx context.Context, client rueidis.Client) ([]schema.ServiceStatus, error) {
	ids, err := client.Do(ctx, client.B().Smembers().Key(schema.ServicesKey).Build()).AsStrSlice()
	if err != nil {
		return nil, fmt.Errorf("read services: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	for i, id := range ids {
		ids[i] = schema.ServiceKey(id)
	}
	values, err := client.Do(ctx, client.B().Mget().Key(ids...).Build()).ToArray()
	if err != nil {
		return nil, fmt.Errorf("read services: %w", err)
	}
	var services []schema.ServiceStatus
	for _, v := range values {
		text, err := v.ToString()
		if err != nil {
			continue // it was killed, and is not taken for alive any more
		}
		var s schema.ServiceStatus
		if err := schema.Decode([]byte(text), &s); err != nil {
			return nil, fmt.Errorf("read service: %w", err)
		}
		services = append(services, s)
	}
	return services, nil
}
