package stack

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// checkEvery is how often JetStream's health is looked at.
	checkEvery = time.Second
	// roomNeeded is what must fit on the disk before JetStream tries again.
	roomNeeded = 1 << 20
	// maxPayload holds a batch with one tweet of the largest size (1 MB) and
	// its envelope; the server's default of 1 MB would refuse it.
	maxPayload = 8 << 20
	// maxStore is out of reach on purpose. The default, three quarters of the
	// space that is free at start, changes from start to start and can refuse
	// a stream that an earlier start accepted. Bounds belong to the streams.
	maxStore = 1 << 50
	// maxMemory bounds memory streams; tweets never go there.
	maxMemory = 256 << 20
)

// natsDir is the folder of JetStream below the data folder.
const natsDir = "nats"

// natsServer is NATS with JetStream inside this process. Its one listener is a
// socket that only this user can open.
type natsServer struct {
	server   *server.Server
	socket   *natsSocket // nil where there can't be one
	dir      string
	log      *slog.Logger
	stopping chan struct{}
	watched  chan struct{} // closed when watch has returned
}

// startNATS returns when JetStream has recovered what dir holds.
func startNATS(ctx context.Context, dir string, log *slog.Logger) (*natsServer, error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	srv, err := server.NewServer(natsOptions(dir))
	if err != nil {
		return nil, fmt.Errorf("start nats in %s: %w", dir, err)
	}
	n := &natsServer{
		server: srv, dir: dir, log: log.With("server", "nats"),
		stopping: make(chan struct{}), watched: make(chan struct{}),
	}
	if err := n.start(ctx); err != nil {
		close(n.watched)
		_ = n.stop(stopTime)
		return nil, fmt.Errorf("start nats in %s: %w: choose another folder with --data, or give --nats-url", dir, err)
	}
	go n.watch()
	if n.socket, err = listenNATS(dir, srv.InProcessConn); err != nil {
		n.log.Debug("no socket for other commands", "err", err)
	}
	return n, nil
}

func natsOptions(dir string) *server.Options {
	return &server.Options{
		ServerName: "visualizer",
		DontListen: true,
		NoSigs:     true,
		MaxPayload: maxPayload,
		JetStream:  true,
		StoreDir:   dir,
		// A PubAck means that the message is on disk, also at power loss.
		SyncAlways:             true,
		JetStreamMaxStore:      maxStore,
		JetStreamMaxMemory:     maxMemory,
		DisableJetStreamBanner: true,
	}
}

func (n *natsServer) start(ctx context.Context) error {
	log := &natsLog{log: n.log}
	n.server.SetLoggerV2(log, false, false, false)
	started := make(chan struct{})
	go func() {
		// Without a listener, Start returns when all is up or hopeless.
		n.server.Start()
		close(started)
	}()
	select {
	case <-started:
		return log.fatal()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch brings JetStream back after a full disk. A stream that failed to write
// once refuses every later write until it is opened again.
func (n *natsServer) watch() {
	defer close(n.watched)
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-n.stopping:
			return
		case <-tick.C:
		}
		if why := n.broken(); why != "" && n.hasRoom() {
			n.reopen(why)
		}
	}
}

// broken says why JetStream doesn't take messages, or "". Other findings of the
// health check pass by themselves: a stream that is just being made is one.
func (n *natsServer) broken() string {
	if !n.server.JetStreamEnabled() {
		return "it was turned off"
	}
	for _, e := range n.server.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if strings.Contains(e.Error, "write error") {
			return e.Error
		}
	}
	return ""
}

func (n *natsServer) hasRoom() bool {
	path := filepath.Join(n.dir, "room")
	defer os.Remove(path)
	return os.WriteFile(path, make([]byte, roomNeeded), 0o600) == nil
}

func (n *natsServer) reopen(why string) {
	err := n.server.ShutdownJetStream()
	if err == nil {
		err = n.server.EnableJetStream(&server.JetStreamConfig{
			StoreDir: n.dir, SyncAlways: true, Strict: true, CompressOK: true,
			MaxStore: maxStore, MaxMemory: maxMemory,
		})
	}
	if err != nil {
		n.log.Warn("open JetStream again", "reason", why, "err", err)
		return
	}
	n.log.Warn("JetStream was opened again", "reason", why)
}

// stop is called once.
func (n *natsServer) stop(limit time.Duration) error {
	done := make(chan struct{})
	close(n.stopping)
	if n.socket != nil {
		n.socket.Close()
	}
	go func() {
		defer close(done)
		<-n.watched
		n.server.Shutdown()
		n.server.WaitForShutdown()
	}()
	select {
	case <-done:
		return nil
	case <-time.After(limit):
		// Every message that was acknowledged is synced already.
		return fmt.Errorf("stop nats: still busy after %s", limit)
	}
}
