package search

import (
	"context"

	"golang.org/x/sync/semaphore"

	"visualizer/internal/fault"
	"visualizer/schema"
)

// maxInFlight bounds the calls that wait for Redis. While Redis hangs, further
// ones wait for a place, which ends with their deadline; in the client's own
// queue they would not.
const maxInFlight = 256

// maxLong bounds the calls in flight whose time grows with the number of
// matches. Redis takes them one by one, and takes them to their end, also when
// nobody waits any more: the others are not sent then.
const maxLong = 4

// within makes a call to Redis, and leaves it when ctx ends. The call keeps its
// places until Redis has answered, so that one that hangs is not asked more and
// more.
func within[T any](ctx context.Context, s *Store, call func(context.Context) (T, error)) (T, error) {
	var none T
	held := bounds{s.inFlight}
	if err := held.acquire(ctx); err != nil {
		return none, classify(ctx, err)
	}
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		defer held.release()
		var a answer
		a.err = fault.Contain(func() (err error) { a.value, err = call(context.WithoutCancel(ctx)); return err })
		answered <- a
	}()
	select {
	case a := <-answered:
		return a.value, classify(ctx, a.err)
	case <-ctx.Done():
		return none, classify(ctx, ctx.Err())
	}
}

// search is within for the searches, which are most calls: it wakes no goroutine
// for them. call must send one command about the index, and end with ctx.
func search[T any](ctx context.Context, s *Store, call func(context.Context) (T, error), held bounds) (T, error) {
	var value T
	if err := held.acquire(ctx); err != nil {
		return value, classify(ctx, err)
	}
	err := fault.Contain(func() (err error) { value, err = call(ctx); return err })
	if err != nil && ctx.Err() != nil {
		go s.releaseBehind(context.WithoutCancel(ctx), held)
	} else {
		held.release()
	}
	return value, classify(ctx, err)
}

// releaseBehind gives places back once Redis has answered all that was asked of
// it before, on the connection that commands about the index go by.
func (s *Store) releaseBehind(ctx context.Context, held bounds) {
	defer held.release()
	s.client.Do(ctx, s.client.B().Exists().Key(schema.IndexAlias).Build())
}

// bounds are the limits that a call counts for.
type bounds []*semaphore.Weighted

func (b bounds) acquire(ctx context.Context) error {
	for i, p := range b {
		if err := p.Acquire(ctx, 1); err != nil {
			b[:i].release()
			return err
		}
	}
	return nil
}

func (b bounds) release() {
	for _, p := range b {
		p.Release(1)
	}
}
