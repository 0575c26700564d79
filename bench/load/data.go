package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"visualizer/internal/dial"
	"visualizer/internal/index"
	"visualizer/internal/stack"
	"visualizer/schema"
)

// Data is a Redis of its own with a number of tweets in it.
type Data struct {
	Facts
	Size int
	// URL is the server's, for the query service; Address its host:port, for
	// programs that can't use a unix socket.
	URL, Address string
	Client       rueidis.Client
	// Took is the time from the first tweet sent to the last one found.
	Took time.Duration

	dir   string
	stack *stack.Stack
}

// Config says how data is loaded.
type Config struct {
	Size     int
	Log      *slog.Logger
	Progress io.Writer // gets a line for each download; nil: nobody
	// Loaded, if not nil, is called with how many tweets more were stored.
	Loaded func(n int)
}

// New starts a Redis in a temporary folder and loads it. Close it.
func New(ctx context.Context, cfg Config) (*Data, error) {
	dir, err := os.MkdirTemp("", "visualizer-bench-")
	if err != nil {
		return nil, err
	}
	d := &Data{Size: cfg.Size, Facts: Facts{Hashtags: map[string]int{}, n: cfg.Size}, dir: dir}
	if err := d.open(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("load %d tweets: %w", cfg.Size, err), d.Close())
	}
	return d, nil
}

// Close stops the server and removes its files.
func (d *Data) Close() error {
	if d.Client != nil {
		d.Client.Close()
	}
	var err error
	if d.stack != nil {
		err = d.stack.Close()
	}
	return errors.Join(err, os.RemoveAll(d.dir))
}

// notStarted stands for a server that is not needed.
const notStarted = "none"

func (d *Data) open(ctx context.Context, cfg Config) (err error) {
	d.stack, err = stack.Start(ctx, stack.Config{Data: d.dir, NATSURL: notStarted, Log: cfg.Log, Progress: cfg.Progress})
	if err != nil {
		return err
	}
	d.URL = d.stack.RedisURL()
	if d.Client, err = dial.Redis(ctx, d.URL, "visualizer-bench", several); err != nil {
		return err
	}
	if err := d.configure(ctx); err != nil {
		return err
	}
	if _, err := index.Ensure(ctx, d.Client, cfg.Log); err != nil {
		return err
	}
	if err := index.Await(ctx, d.Client, cfg.Log); err != nil {
		return err
	}
	began := time.Now()
	if err := d.store(ctx, cfg); err != nil {
		return err
	}
	if err := d.verify(ctx); err != nil {
		return err
	}
	d.Took = time.Since(began)
	return nil
}

// several has the client use four connections.
func several(o *rueidis.ClientOption) { o.PipelineMultiplex = 2 }

// configure opens a port and leaves the append-only file out: what is loaded
// here is only read, and thrown away at the end.
func (d *Data) configure(ctx context.Context) error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d.Address = free.Addr().String()
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	set := d.Client.B().ConfigSet().ParameterValue().ParameterValue("appendonly", "no").
		ParameterValue("bind", "127.0.0.1").ParameterValue("port", strconv.Itoa(port)).Build()
	if err := d.Client.Do(ctx, set).Error(); err != nil {
		return fmt.Errorf("open a port of Redis: %w", err)
	}
	return nil
}

// verify returns an error unless a search finds every tweet.
func (d *Data) verify(ctx context.Context) error {
	if err := index.Ready(ctx, d.Client); err != nil {
		return err
	}
	found, err := d.Count(ctx, "*")
	if err != nil {
		return err
	}
	refused, err := index.Failures(ctx, d.Client)
	if err != nil {
		return err
	}
	if found != d.Size || refused != 0 {
		return fmt.Errorf("%d are found and %d were refused: the index does not fit the documents", found, refused)
	}
	return nil
}

// Count returns how many tweets match a query of FT.SEARCH.
func (d *Data) Count(ctx context.Context, query string) (int, error) {
	count := d.Client.B().Arbitrary("FT.SEARCH").Keys(schema.IndexAlias).
		Args(query, "LIMIT", "0", "0", "TIMEOUT", "60000", "DIALECT", "2").Build()
	n, _, err := d.Client.Do(ctx, count).AsFtSearch()
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", query, err)
	}
	return int(n), nil
}
