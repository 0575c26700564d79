package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"

	"visualizer/ingest"
	"visualizer/ingest/source"
	"visualizer/internal/dial"
	"visualizer/internal/index"
	"visualizer/internal/stack"
	"visualizer/schema"
)

// store is a Redis to ingest into, with a broker.
type store struct {
	*stack.Stack
	client *dial.RedisClient
	dir    string
}

// openStore starts a broker, and unless redisURL names one a Redis.
func (s *session) openStore(ctx context.Context, redisURL string) (*store, error) {
	dir, err := os.MkdirTemp("", "visualizer-bench-")
	if err != nil {
		return nil, err
	}
	st := &store{dir: dir}
	if st.Stack, err = stack.Start(ctx, stack.Config{Data: dir, RedisURL: redisURL, Log: s.quiet(), Progress: os.Stderr}); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	st.client, err = dial.Redis(ctx, st.RedisURL(), "visualizer-bench", func(o *rueidis.ClientOption) { o.PipelineMultiplex = 2 })
	if err == nil {
		_, err = index.Ensure(ctx, st.client, s.quiet())
	}
	if err == nil {
		err = index.Await(ctx, st.client, s.quiet())
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// Close stops what was started and removes its files.
func (st *store) Close() error {
	if st.client != nil {
		st.client.Close()
	}
	var err error
	if st.Stack != nil {
		err = st.Stack.Close()
	}
	return errors.Join(err, os.RemoveAll(st.dir))
}

// ingestion is an ingest service in this process that reads from r.
type ingestion struct {
	service *ingest.Service
	ended   chan error
}

// ingest connects a service to the store, as the all-in-one has it.
func (s *session) ingest(ctx context.Context, st *store, r io.Reader) (*ingestion, error) {
	natsURL, natsOptions := st.NATS()
	service, err := ingest.New(ctx, ingest.Config{
		Sources:  []source.Source{source.NewReader("bench", r)},
		RedisURL: st.RedisURL(), NATSURL: natsURL, NATSOptions: natsOptions,
		NewRun: true, Log: s.quiet(), Metrics: prometheus.NewRegistry(),
	})
	if err != nil {
		return nil, err
	}
	return &ingestion{service: service, ended: make(chan error, 1)}, nil
}

// start has it read and store.
func (in *ingestion) start(ctx context.Context) {
	go func() { in.ended <- in.service.Run(ctx) }()
}

// Wait returns when all is stored and acked.
func (in *ingestion) Wait() error {
	err := <-in.ended
	in.service.Close()
	return err
}

// taken is how many tweets of this run are stored, known or updated.
func (st *store) taken(ctx context.Context) (n int, err error) {
	fields := []string{schema.StatusStored, schema.StatusUpdated, schema.StatusDuplicates}
	values, err := st.client.Do(ctx, st.client.B().Hmget().Key(schema.StatusKey).Field(fields...).Build()).ToArray()
	if err != nil {
		return 0, fmt.Errorf("read the status: %w", err)
	}
	for _, v := range values {
		if text, err := v.ToString(); err == nil {
			count, _ := strconv.Atoi(text)
			n += count
		}
	}
	return n, nil
}

// lookEvery is how often one looks how many tweets are stored.
const lookEvery = 5 * time.Millisecond

// awaitTaken returns when so many tweets are taken.
func (st *store) awaitTaken(ctx context.Context, want int) error {
	for {
		n, err := st.taken(ctx)
		if err != nil || n >= want {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %d tweets of which %d are stored: %w", want, n, ctx.Err())
		case <-time.After(lookEvery):
		}
	}
}

// cpu is how many seconds Redis' main thread has computed.
func (st *store) cpu(ctx context.Context) (seconds float64, err error) {
	info, err := st.client.Do(ctx, st.client.B().Info().Section("cpu").Build()).ToString()
	if err != nil {
		return 0, fmt.Errorf("read the CPU time of Redis: %w", err)
	}
	for line := range strings.Lines(info) {
		for _, name := range []string{"used_cpu_sys:", "used_cpu_user:"} {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), name); ok {
				part, err := strconv.ParseFloat(value, 64)
				if err != nil {
					return 0, fmt.Errorf("read the CPU time of Redis: %w", err)
				}
				seconds += part
			}
		}
	}
	return seconds, nil
}

// durable has a Redis that was loaded without keep an append-only file.
func (st *store) durable(ctx context.Context) error {
	if err := st.client.Do(ctx, st.client.B().ConfigSet().ParameterValue().ParameterValue("appendonly", "yes").Build()).Error(); err != nil {
		return fmt.Errorf("keep an append-only file: %w", err)
	}
	for {
		info, err := st.client.Do(ctx, st.client.B().Info().Section("persistence").Build()).ToString()
		if err != nil {
			return fmt.Errorf("wait for the append-only file: %w", err)
		}
		if strings.Contains(info, "aof_rewrite_in_progress:0") && strings.Contains(info, "aof_rewrite_scheduled:0") {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
