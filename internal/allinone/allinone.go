// Package allinone runs the whole line in one process on this machine: the
// servers, ingest and query.
package allinone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"visualizer/ingest"
	"visualizer/ingest/source"
	"visualizer/internal/cli"
	"visualizer/internal/obs"
	"visualizer/internal/stack"
	"visualizer/internal/tracing"
	"visualizer/query"
	"visualizer/query/server"
)

// Settings are the flags of the command.
type Settings struct {
	cli.Sources
	ingest.XFlags
	cli.Edge
	cli.Ops
	Data string `help:"Folder of what is stored." default:".visualizer" placeholder:"DIR"`
	cli.Redis
	GraphURL string `name:"graph-url" help:"Redis with FalkorDB." placeholder:"URL"`
	cli.NATS
	cli.Traces
	cli.Log

	// Stdout gets the ready line.
	Stdout io.Writer `kong:"-"`
	// Published, if set, sees each message before it is sent, and again when
	// JetStream has acked it.
	Published func(batch []byte, acked bool) `kong:"-"`
}

// Command is the all-in-one as a command.
func Command() cli.Command[Settings] {
	return cli.Command[Settings]{
		Name:        "visualizer",
		Description: "Stores a stream of tweets and serves them by GraphQL, all on this machine. A server whose URL is not given is started, and ends with the program.",
		Vars:        map[string]string{"ops": "127.0.0.1:9090"},
		Commands:    []cli.Subcommand{simCommand(), lettersCommand(), rulesCommand(), cli.Healthcheck()},
		Run:         Run,
	}
}

// Run runs the line until ctx ends. When the sources end it goes on serving.
func Run(ctx context.Context, cfg *Settings) error {
	log, err := cfg.Logger(os.Stderr)
	if err != nil {
		return err
	}
	// What can be wrong with the command line is found before anything is
	// started.
	sources, err := ingest.OpenSources(cfg.Source, cfg.Rate, cfg.XFlags)
	if err != nil {
		return err
	}
	traces, err := tracing.Start(ctx, cfg.Traces, "visualizer", log)
	if err != nil {
		return err
	}
	defer traces.Close()
	clients, err := obs.Listen("--listen", cfg.Listen)
	if err != nil {
		return startedTwice(cfg.Data, err)
	}
	defer clients.Close()
	operators, err := obs.Listen("--ops-listen", cfg.OpsListen)
	if err != nil {
		return startedTwice(cfg.Data, err)
	}
	defer operators.Close()
	servers, err := stack.Start(ctx, stack.Config{
		Data: cfg.Data, RedisURL: cfg.RedisURL, GraphURL: cfg.GraphURL, NATSURL: cfg.NATSURL,
		Graph: true, Log: log, Progress: os.Stderr,
	})
	if err != nil {
		return err
	}
	l := &line{cfg: cfg, log: log, servers: servers, traces: traces}
	err = l.run(ctx, sources, clients, operators)
	stopped := servers.Close()
	if stopped != nil && ctx.Err() != nil {
		// It was told to stop, and what the servers had acked is on disk.
		log.Warn("stop the servers", "err", stopped)
		stopped = nil
	}
	return errors.Join(err, stopped)
}

// startedTwice says of a port in use that it is this very program which uses it,
// if so: then another port would not help.
func startedTwice(data string, err error) error {
	if who := stack.InUse(data); who != "" && errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("start on data folder %s: %s runs on it already: use that one, stop it, or choose another --data, --listen and --ops-listen", data, who)
	}
	return err
}

// line is the pair of services over running servers.
type line struct {
	cfg     *Settings
	log     *slog.Logger
	servers *stack.Stack
	traces  *tracing.Tracing
}

func (l *line) run(ctx context.Context, sources []source.Source, clients, operators net.Listener) error {
	metrics := obs.NewRegistry()
	url, options := l.servers.NATS()
	in, err := ingest.New(ctx, ingest.Config{
		Sources: sources, Rate: ingest.FileRate(l.cfg.Rate),
		RedisURL: l.servers.RedisURL(), NATSURL: url, NATSOptions: options,
		NewRun: l.cfg.RedisURL == "", Stay: true, Log: l.log, Metrics: metrics, Tracer: l.traces.Tracer("ingest"),
		Bar: ingest.Terminal(os.Stderr), Summary: os.Stderr, Published: l.cfg.Published,
	})
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := query.New(ctx, query.Config{
		RedisURL: l.servers.RedisURL(), NATSURL: url, NATSOptions: options, Deadline: l.cfg.Deadline, Access: l.cfg.Access(), ShowPlans: l.cfg.ShowPlans,
		Admin: server.Admin{Token: l.cfg.AdminToken, Local: true}, Log: l.log, Metrics: metrics,
	})
	if err != nil {
		return err
	}
	defer out.Close()
	ops := obs.NewOps(metrics, l.log)
	ops.Check("ingest", in.Ready)
	ops.Check("query", out.Ready)
	ops.Check("feed", out.FeedReady)

	// The edge goes on while ingest drains, so that what it still stores can
	// be seen.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, failed := errgroup.WithContext(serving)
	g.Go(func() error { return ops.Serve(failed, operators) })
	g.Go(func() error { return out.Serve(failed, clients) })
	g.Go(func() error {
		defer stop()
		return l.ingest(ctx, failed, in)
	})
	l.sayReady(ctx, clients.Addr(), out)
	return g.Wait()
}

// ingest runs until ctx ends or another part has failed. A source that fails
// doesn't end the program: what is stored is still served.
func (l *line) ingest(ctx, failed context.Context, in *ingest.Service) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(failed, cancel)()
	if err := in.Run(ctx); err != nil && ctx.Err() == nil {
		l.log.Error("read tweets", "err", err)
	}
	<-ctx.Done()
	return nil
}

// readyEvery is how often the services are asked whether they answer yet.
const readyEvery = 20 * time.Millisecond

// sayReady prints the ready line once both services answer.
func (l *line) sayReady(ctx context.Context, addr net.Addr, out *query.Service) {
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for out.Ready(ctx) != nil || out.FeedReady(ctx) != nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	w := l.cfg.Stdout
	if w == nil {
		w = os.Stdout
	}
	base := "http://" + shown(addr)
	fmt.Fprintf(w, "ready page=%s/ graphql=%s%s\n", base, base, server.PathGraphQL)
}

// shown is an address that a browser on this machine can open.
func shown(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	return addr.String()
}
