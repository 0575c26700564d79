package search

import "context"

// maxInFlight bounds the calls that wait for Redis. While Redis hangs, further
// ones wait for a place, which ends with their deadline; in the client's own
// queue they would not.
const maxInFlight = 256

// within makes a call to Redis, and leaves it when ctx ends. The call keeps its
// place until Redis has answered, so that one that hangs is not asked more and
// more.
func within[T any](ctx context.Context, s *Store, call func(context.Context) (T, error)) (T, error) {
	var none T
	if err := s.inFlight.Acquire(ctx, 1); err != nil {
		return none, classify(ctx, err)
	}
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		defer s.inFlight.Release(1)
		value, err := call(context.WithoutCancel(ctx))
		answered <- answer{value, err}
	}()
	select {
	case a := <-answered:
		return a.value, classify(ctx, a.err)
	case <-ctx.Done():
		return none, classify(ctx, ctx.Err())
	}
}
