package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/rueidis"

	"visualizer/schema"
)

const (
	// relayEntries bounds a message: with full transactions of long ids it has a
	// fifth of what JetStream takes.
	relayEntries = 64
	// relayWait is how long one read waits for an entry; those that come are
	// taken at once.
	relayWait = 200 * time.Millisecond
	// relayEvery is the least time between messages that are not full. Under load
	// it puts some transactions into one, which makes telling of them cheap.
	relayEvery = 40 * time.Millisecond
	// relayLeave bounds the last round of a service that stops.
	relayLeave = time.Second
)

// relay publishes what the outbox holds: what was stored is told when its
// transaction is, by whatever service, whatever is killed in between. Every
// service has one. They need not know of each other: each publishes in order and
// trims what JetStream has acked to it, and who reads knows a repeat by its
// number.
type relay struct {
	client rueidis.Client
	js     jetstream.JetStream
	log    *slog.Logger
	told   bool // of a failure that lasts
}

// Run relays until ctx ends, and then what is left.
func (r *relay) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := r.follow(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if !r.told {
			r.log.Warn("publish what was stored", "err", err)
		}
		r.told = true
		r.recover(ctx, err)
		pause(ctx, time.Second)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), relayLeave)
	defer cancel()
	err := r.client.Dedicated(func(c rueidis.DedicatedClient) error {
		process, err := processOf(c.Do(last, c.B().Info().Section("server").Build()))
		for n := 1; n > 0 && err == nil; {
			n, err = r.round(last, c, process, new(string), false)
		}
		return err
	})
	if err != nil {
		r.log.Debug("publish what was stored", "err", err) // the next start does
	}
	return nil
}

// recover makes the stream again when the server has lost it, as it does when it
// is restarted: it keeps it in memory.
func (r *relay) recover(ctx context.Context, cause error) {
	if !errors.Is(cause, jetstream.ErrNoStreamResponse) {
		return
	}
	if _, _, err := ensureStreams(ctx, r.js); err != nil && ctx.Err() == nil {
		r.log.Warn("look for the streams", "err", err)
	}
}

// follow relays on one connection, which is to one process of the server.
func (r *relay) follow(ctx context.Context) error {
	return r.client.Dedicated(func(c rueidis.DedicatedClient) error {
		process, err := processOf(c.Do(ctx, c.B().Info().Section("server").Build()))
		seen := ""
		for err == nil && ctx.Err() == nil {
			began, n := time.Now(), 0
			if n, err = r.round(ctx, c, process, &seen, true); err == nil {
				r.told = false
			}
			if 0 < n && n < relayEntries {
				pause(ctx, time.Until(began.Add(relayEvery)))
			}
		}
		return err
	})
}

// round publishes the entries behind seen, moves it on, and returns how many
// there were. With wait it waits a while for one.
func (r *relay) round(ctx context.Context, c rueidis.DedicatedClient, process string, seen *string, wait bool) (int, error) {
	m, last, err := r.read(ctx, c, *seen, wait)
	if err != nil || len(m.Entries) == 0 {
		return 0, err
	}
	m.Process = process
	data, err := schema.Encode(m)
	if err != nil {
		return 0, fmt.Errorf("encode what was stored: %w", err)
	}
	asking, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	if _, err := r.js.Publish(asking, schema.SubjectStored, data); err != nil {
		return 0, fmt.Errorf("publish to %s: %w", schema.SubjectStored, err)
	}
	*seen = last
	// Only now: whoever is killed before has it published again.
	next := "0-" + strconv.FormatUint(m.Entries[len(m.Entries)-1].Number+1, 10)
	if err := c.Do(ctx, c.B().Xtrim().Key(schema.OutboxKey).Minid().Threshold(next).Build()).Error(); err != nil {
		return 0, fmt.Errorf("trim the outbox: %w", err)
	}
	return len(m.Entries), nil
}

// read returns the entries behind an id of the outbox, and the last one's id.
func (r *relay) read(ctx context.Context, c rueidis.DedicatedClient, behind string, wait bool) (m schema.Stored, last string, err error) {
	if behind == "" {
		behind = "0-0"
	}
	cmd := c.B().Xread().Count(relayEntries).Streams().Key(schema.OutboxKey).Id(behind).Build()
	if wait {
		cmd = c.B().Xread().Count(relayEntries).Block(relayWait.Milliseconds()).Streams().Key(schema.OutboxKey).Id(behind).Build()
	}
	read, err := c.Do(ctx, cmd).AsXRead()
	if rueidis.IsRedisNil(err) {
		return m, behind, nil
	}
	if err != nil {
		return m, "", fmt.Errorf("read the outbox: %w", err)
	}
	for _, e := range read[schema.OutboxKey] {
		number, err := strconv.ParseUint(strings.TrimPrefix(e.ID, "0-"), 10, 64)
		if err != nil {
			return m, "", errors.New("read the outbox: entry " + e.ID + " is of another program: remove " + schema.OutboxKey)
		}
		m.Entries = append(m.Entries, schema.OutboxEntry(number, e.FieldValues[schema.OutboxIDs]))
		last = e.ID
	}
	return m, last, nil
}
