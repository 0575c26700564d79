package main

import (
	"context"
	"os"

	"golang.org/x/sync/errgroup"

	"visualizer/internal/cli"
	"visualizer/internal/obs"
	"visualizer/query"
	"visualizer/query/server"
)

// run starts the service, and returns when it has ended.
func run(ctx context.Context, cfg *settings) error {
	cli.LeaveGarbage()
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
	metrics := obs.NewRegistry()
	service, err := query.New(ctx, query.Config{
		RedisURL: cfg.RedisURL, NATSURL: cfg.NATSURL, Deadline: cfg.Deadline, Access: cfg.Access(), ShowPlans: cfg.ShowPlans,
		Admin: server.Admin{Token: cfg.AdminToken}, Log: log, Metrics: metrics,
	})
	if err != nil {
		return err
	}
	defer service.Close()
	ops := obs.NewOps(metrics, log)
	ops.Check("query", service.Ready)
	if cfg.NATSURL != "" {
		ops.Check("feed", service.FeedReady)
	}
	log.Info("serving", "graphql", "http://"+clients.Addr().String()+"/graphql")
	g, failed := errgroup.WithContext(ctx)
	g.Go(func() error { return ops.Serve(failed, operators) })
	g.Go(func() error { return service.Serve(failed, clients) })
	return g.Wait()
}
