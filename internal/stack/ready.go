package stack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/rueidis"
)

const (
	minPoll = 5 * time.Millisecond
	maxPoll = 200 * time.Millisecond
	// noteEvery spaces the notes for a person who waits for a long load.
	noteEvery = 5 * time.Second
	// askTime bounds one attempt; a server that loads answers between chunks.
	askTime = 5 * time.Second
	// socketTime bounds the wait for the socket, which is opened before
	// anything is loaded.
	socketTime = 30 * time.Second
)

// awaitReady returns when the server answers all probes of its role.
func (s *redisServer) awaitReady(ctx context.Context) error {
	note := time.NewTicker(noteEvery)
	defer note.Stop()
	began := time.Now()
	for poll := minPoll; ; poll = min(2*poll, maxPoll) {
		err := s.ask(ctx)
		if err == nil && s.markReady() {
			return nil
		}
		if isAnswer(err) {
			return err
		}
		if time.Since(began) > socketTime && !exists(s.socket) {
			return fmt.Errorf("it has not opened %s in %s", s.socket, socketTime)
		}
		select {
		case <-time.After(poll):
		case <-note.C:
			s.log.Info("redis-server still loads what is stored", "dir", s.dir)
		case <-s.done:
			return s.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ask sends the probes once, over a connection of its own.
func (s *redisServer) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	opt, err := rueidis.ParseURL(s.url())
	if err != nil {
		return err
	}
	opt.ForceSingleClient, opt.DisableCache, opt.DisableRetry = true, true, true
	opt.ReadBufferEachConn, opt.WriteBufferEachConn, opt.RingScaleEachConn = 4096, 4096, 4
	client, err := rueidis.NewClient(opt)
	if err != nil {
		return err
	}
	defer client.Close()
	for _, probe := range append([][]string{{"PING"}}, s.role.probes...) {
		err := client.Do(ctx, client.B().Arbitrary(probe...).Build()).Error()
		if err != nil && !rueidis.IsRedisNil(err) {
			return fmt.Errorf("%s: %w", probe[0], err)
		}
	}
	return nil
}

// isAnswer tells a refusal for good, such as an unknown command, from a server
// that isn't up yet or still loads.
func isAnswer(err error) bool {
	re, ok := errors.AsType[*rueidis.RedisError](err)
	return ok && !re.IsLoading() && !re.IsNil()
}
