package main

import (
	"context"
	"os"

	"golang.org/x/sync/errgroup"

	"visualizer/internal/cli"
	"visualizer/internal/obs"
	"visualizer/query"
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
	clients, err := obs.Listen("--listen", cfg.Listen)
	if err != nil {
		return err
	}
	defer clients.Close()
	operators, err := obs.Listen("--ops-listen", cfg.OpsListen)
	if err != nil {
		return err
	}
	defer operators.Close()
	service, err := query.New(ctx, query.Config{RedisURL: cfg.RedisURL, Deadline: cfg.Deadline, Log: log})
	if err != nil {
		return err
	}
	defer service.Close()
	ops := obs.NewOps(obs.NewRegistry(), log)
	ops.Check("query", service.Ready)
	log.Info("serving", "graphql", "http://"+clients.Addr().String()+"/graphql")
	g, failed := errgroup.WithContext(ctx)
	g.Go(func() error { return ops.Serve(failed, operators) })
	g.Go(func() error { return service.Serve(failed, clients) })
	return g.Wait()
}
