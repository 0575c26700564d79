package main

import (
	"context"
	"os"

	"golang.org/x/sync/errgroup"

	"visualizer/ingest"
	"visualizer/internal/cli"
	"visualizer/internal/obs"
	"visualizer/internal/tracing"
)

// run starts the service, and returns when it has ended.
func run(ctx context.Context, cfg *settings) error {
	log, err := cfg.Logger(os.Stderr)
	if err != nil {
		return err
	}
	if err := cli.Required("--redis-url", cfg.RedisURL, "a Redis 8"); err != nil {
		return err
	}
	if err := cli.Required("--nats-url", cfg.NATSURL, "a NATS with JetStream"); err != nil {
		return err
	}
	sources, err := ingest.OpenSources(cfg.Source, cfg.Rate, cfg.XFlags)
	if err != nil {
		return err
	}
	traces, err := tracing.Start(ctx, cfg.Traces, "visualizer-ingest", log)
	if err != nil {
		return err
	}
	defer traces.Close()
	operators, err := obs.Listen("--ops-listen", cfg.OpsListen)
	if err != nil {
		return err
	}
	metrics := obs.NewRegistry()
	service, err := ingest.New(ctx, ingest.Config{
		Sources: sources, Rate: ingest.FileRate(cfg.Rate),
		RedisURL: cfg.RedisURL, NATSURL: cfg.NATSURL, Log: log, Metrics: metrics, Tracer: traces.Tracer("ingest"),
		Bar: ingest.Terminal(os.Stderr), Summary: os.Stderr,
	})
	if err != nil {
		operators.Close()
		return err
	}
	defer service.Close()
	ops := obs.NewOps(metrics, log)
	ops.Check("ingest", service.Ready)
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, failed := errgroup.WithContext(serving)
	g.Go(func() error { return ops.Serve(failed, operators) })
	g.Go(func() error { defer stop(); return service.Run(ctx) })
	return g.Wait()
}
