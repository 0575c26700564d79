package feed

import (
	"context"
	"errors"
	"sync"
)

// Subscription is one who follows a filter.
type Subscription struct {
	feed   *Feed
	filter *filter
	news   chan struct{} // holds one when the queue or err has changed

	mu    sync.Mutex
	queue []*Item
	bytes int
	last  error // comes when the queue is empty
	// behind is the number of the transaction behind which the subscription
	// begins.
	behind uint64
}

// Next returns the next tweet, in storing order. When ctx ends before there is
// one, or the subscription has ended, it returns why: ErrGap, ErrSlow or the
// context's error.
func (s *Subscription) Next(ctx context.Context) (*Item, error) {
	for {
		it, err := s.take()
		if it != nil || err != nil {
			return it, err
		}
		select {
		case <-s.news:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Subscription) take() (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.queue = nil // its room is not kept for who is idle
		return nil, s.last
	}
	return s.pop(), nil
}

// pop takes the first of the queue, under s.mu.
func (s *Subscription) pop() *Item {
	it := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.bytes -= it.size
	it.release()
	return it
}

// begin leaves out what was stored up to a transaction.
func (s *Subscription) begin(behind uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behind = behind
	for len(s.queue) > 0 && s.queue[0].number <= behind {
		s.pop()
	}
}

// push adds items to the queue. It never waits: when there is no room, the
// subscription ends.
func (s *Subscription) push(items []*Item) {
	if s.add(items) {
		s.wake()
		return
	}
	s.end(ErrSlow, droppedSlow)
}

func (s *Subscription) add(items []*Item) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil {
		return true
	}
	limits := &s.feed.limits
	for _, it := range items {
		if it.number <= s.behind {
			continue
		}
		if len(s.queue) >= limits.Queue || s.bytes+it.size > limits.QueueBytes && len(s.queue) > 0 {
			return false
		}
		s.queue = append(s.queue, it)
		s.bytes += it.size
		it.hold()
		s.feed.metrics.delivered.Inc()
	}
	return true
}

// end ends the subscription at once.
func (s *Subscription) end(why error, dropped string) {
	s.mu.Lock()
	queue := s.queue
	s.queue, s.bytes = nil, 0
	s.mu.Unlock()
	for _, it := range queue {
		it.release()
	}
	s.finish(why, dropped)
}

// endAfterQueue ends the subscription behind what waits for it.
func (s *Subscription) endAfterQueue(why error) { s.finish(why, droppedGap) }

func (s *Subscription) finish(why error, dropped string) {
	s.mu.Lock()
	ended := s.last != nil
	if !ended || errors.Is(why, ErrSlow) {
		s.last = why
	}
	s.mu.Unlock()
	if ended {
		return
	}
	if dropped != "" {
		s.feed.metrics.dropped.WithLabelValues(dropped).Inc()
	}
	s.feed.leave(s)
	s.wake()
}

func (s *Subscription) wake() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

func (s *Subscription) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}
