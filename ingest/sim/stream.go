package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	// groupTime is the shortest time between two writes: at high rates tweets
	// go out in small groups.
	groupTime = 5 * time.Millisecond
	// groupSize is how many tweets a write holds when nothing limits the rate,
	// maxGroup how many it holds at most.
	groupSize = 64
	maxGroup  = 1024
	// maxDebt is how far a stream catches up after a pause. More is dropped:
	// the world waits for nobody.
	maxDebt = time.Second
)

// stream writes tweets until the client leaves, doesn't read, or the limit is
// reached.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-store")
	h.Set("Connection", "close") // the write deadline is the connection's, so it can't be used again
	w.WriteHeader(http.StatusOK)
	out := &client{w: w, control: http.NewResponseController(w), timeout: s.cfg.WriteTimeout}
	err := out.send(nil)
	if err == nil && s.cfg.Rate > 0 {
		err = s.paced(r.Context(), out)
	} else if err == nil {
		err = s.unpaced(r.Context(), out)
	}
	if s.finished() {
		close(s.done) // nobody streams after this
	}
	if err == nil {
		out.extend() // for the end of the response
	}
}

// unpaced writes as fast as the client reads.
func (s *Server) unpaced(ctx context.Context, out *client) error {
	var group []byte
	for !s.finished() {
		if err := ctx.Err(); err != nil {
			return err
		}
		group = s.group(group[:0], groupSize)
		if err := out.send(group); err != nil {
			return err
		}
	}
	return nil
}

// paced writes each tweet when its time has come, and blank lines when that
// takes long.
func (s *Server) paced(ctx context.Context, out *client) error {
	var group []byte
	now := time.Now()
	p, wrote := pace{step: float64(time.Second) / s.cfg.Rate, due: now}, now
	for !s.finished() {
		due := max(time.Until(p.due), groupTime)
		if err := sleep(ctx, min(due, time.Until(wrote.Add(s.cfg.KeepAlive)))); err != nil {
			return err
		}
		now = time.Now()
		n := p.take(now)
		if n == 0 && now.Sub(wrote) < s.cfg.KeepAlive {
			continue
		}
		if group = s.group(group[:0], n); n == 0 {
			group = append(group, lineEnd...)
		}
		wrote = now
		if err := out.send(group); err != nil {
			return err
		}
	}
	return nil
}

// group appends the lines of up to n tweets.
func (s *Server) group(dst []byte, n int) []byte {
	for ; n > 0 && !s.finished(); n-- {
		dst = s.cfg.World.Next(dst, s.cfg.Now())
		s.made++
	}
	return dst
}

// pace says when tweets are due: one each step on the average, no two steps
// alike.
type pace struct {
	step float64 // ns
	due  time.Time
}

// take returns how many tweets are due and counts on from there.
func (p *pace) take(now time.Time) int {
	if now.Sub(p.due) > maxDebt {
		p.due = now.Add(-maxDebt)
	}
	n := 0
	for ; !p.due.After(now) && n < maxGroup; n++ {
		p.due = p.due.Add(time.Duration(p.step * (0.5 + rand.Float64())))
	}
	return n
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// client is the reading side of a connection.
type client struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

// send writes and flushes b, or fails when the client doesn't read for the
// timeout.
func (c *client) send(b []byte) error {
	if err := c.extend(); err != nil {
		return err
	}
	if _, err := c.w.Write(b); err != nil {
		return fmt.Errorf("write tweets: %w", err)
	}
	if err := c.control.Flush(); err != nil {
		return fmt.Errorf("flush tweets: %w", err)
	}
	// One that has passed could not be extended, should the stream be quiet.
	return c.deadline(time.Time{})
}

// extend gives the client the whole timeout again.
func (c *client) extend() error { return c.deadline(time.Now().Add(c.timeout)) }

func (c *client) deadline(at time.Time) error {
	err := c.control.SetWriteDeadline(at)
	if err != nil && !errors.Is(err, http.ErrNotSupported) { // a recorder in a test has none
		return fmt.Errorf("set write deadline: %w", err)
	}
	return nil
}
