package line

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"visualizer/schema"
)

const (
	// heedWait is how long a change waits for the services to go by it. One that
	// hangs does so later.
	heedWait = time.Second
	heedPoll = 20 * time.Millisecond
	// syncWait is how long it waits for Redis' disk.
	syncWait = time.Second
)

// ErrUnavailable: Redis can't be reached, or doesn't answer yet.
var ErrUnavailable = errors.New("the store is not available")

// Stream starts and stops the stream.
type Stream struct {
	client rueidis.Client
	one    chan struct{} // held by the change under way
}

// NewStream returns the stream of a Redis.
func NewStream(client rueidis.Client) *Stream {
	return &Stream{client: client, one: make(chan struct{}, 1)}
}

// Start has the services read again: those that were stopped go on where they
// were, those that have read all begin anew, and a source that was given up is
// tried again. It changes nothing while they read, nor when a source is next tried
// that is down for a while.
// It returns the status once they go by it, and fails when ctx ends: then what
// became of it is not known.
func (s *Stream) Start(ctx context.Context) (*schema.Status, error) {
	return s.apply(ctx, "start the stream", func(s *schema.Status, alive bool) bool {
		return s.State == schema.StateStopped || alive && (s.State == schema.StateFinished || s.State == schema.StateReconnecting)
	}, false)
}

// Stop has the services read no more, now and after restarts, until Start. It
// changes nothing when they are stopped already. It returns as Start does.
func (s *Stream) Stop(ctx context.Context) (*schema.Status, error) {
	return s.apply(ctx, "stop the stream", func(s *schema.Status, _ bool) bool { return s.State != schema.StateStopped }, true)
}

// apply makes a change and leaves it when ctx ends, since not every call to a
// Redis that hangs looks at its context. One that hangs bars further ones.
func (s *Stream) apply(ctx context.Context, act string, due func(s *schema.Status, alive bool) bool, stopped bool) (*schema.Status, error) {
	type answer struct {
		status *schema.Status
		err    error
	}
	answered := make(chan answer, 1)
	select {
	case s.one <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", act, ctx.Err())
	}
	go func() {
		defer func() { <-s.one }()
		status, err := change(ctx, s.client, due, stopped)
		answered <- answer{status, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, fmt.Errorf("%s: %w", act, classify(a.err))
		}
		return a.status, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", act, ctx.Err())
	}
}

// classify marks what passes by itself.
func classify(err error) error {
	answer, fromServer := rueidis.IsRedisErr(err)
	deadline := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if !fromServer && !deadline || fromServer && strings.HasPrefix(answer.Error(), "LOADING") {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// change makes a change when it is due, and returns the status once the services
// go by it.
func change(ctx context.Context, client rueidis.Client, due func(s *schema.Status, alive bool) bool, stopped bool) (*schema.Status, error) {
	var version int64
	err := client.Dedicated(func(c rueidis.DedicatedClient) (err error) {
		for done := false; !done && err == nil; {
			version, done, err = attempt(ctx, client, c, due, stopped)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return heeded(ctx, client, version)
}

// attempt makes a change unless another came between; then it is not done.
func attempt(ctx context.Context, client rueidis.Client, c rueidis.DedicatedClient, due func(*schema.Status, bool) bool, stopped bool) (version int64, done bool, err error) {
	if err := c.Do(ctx, c.B().Watch().Key(schema.ControlKey).Build()).Error(); err != nil {
		return 0, false, err
	}
	services, err := Services(ctx, client)
	if err != nil {
		return 0, false, err
	}
	status, err := Status(ctx, client)
	if err != nil {
		return 0, false, err
	}
	control, err := Control(ctx, client)
	if err != nil {
		return 0, false, err
	}
	if !due(status, len(services) > 0) {
		return control.Version, true, c.Do(ctx, c.B().Unwatch().Build()).Error()
	}
	next := schema.Control{Version: control.Version + 1, Stopped: stopped}
	set := c.B().Hset().Key(schema.ControlKey).FieldValue()
	for field, value := range next.Fields() {
		set = set.FieldValue(field, value)
	}
	replies := c.DoMulti(ctx, c.B().Multi().Build(), set.Build(), c.B().Exec().Build())
	if err := replies[2].Error(); rueidis.IsRedisNil(err) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, err
	}
	// Without an append-only file there is nothing to wait for, and a disk that
	// is slow need not keep the change from being told.
	c.Do(ctx, c.B().Waitaof().Numlocal(1).Numreplicas(0).Timeout(syncWait.Milliseconds()).Build())
	return next.Version, true, nil
}

// heeded returns the status once all services go by a version, or after a while.
func heeded(ctx context.Context, client rueidis.Client, version int64) (*schema.Status, error) {
	deadline := time.Now().Add(heedWait)
	tick := time.NewTicker(heedPoll)
	defer tick.Stop()
	for {
		services, err := Services(ctx, client)
		if err != nil {
			return nil, err
		}
		all := true
		for _, s := range services {
			all = all && s.Heeds >= version
		}
		if all || time.Now().After(deadline) {
			return Status(ctx, client)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}
