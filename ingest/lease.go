package ingest

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"visualizer/schema"
)

const (
	// leaseTime is how long a service that does not renew its lease is still
	// taken for the reader.
	leaseTime = 5 * time.Second
	// leaseEvery is how often the reader renews, and the others look.
	leaseEvery = 500 * time.Millisecond
	// leaseCall bounds one call; after a longer one it is not known what became
	// of it, and it is looked up.
	leaseCall = 2 * time.Second
	// leaseLeave bounds the release.
	leaseLeave = time.Second
)

// errLost: another service reads the source now.
var errLost = errors.New("another service has taken over the reading")

// lease lets one of several services read a live source. It stands in JetStream,
// which reading can't do without, so that a Redis that is away stops no reader.
//
// A key holds the id of the service that reads, "" for none. Its holder writes it
// again and again, each time only if nobody else has written since. Who finds it
// unchanged for leaseTime by the own clock writes the own id, on the same
// condition. So no two clocks are compared, and of two services that write at
// once JetStream refuses one.
type lease struct {
	js     jetstream.JetStream
	key    string
	holder string // this service
	// grab: no other service of the line can be alive, so that a lease that is
	// left over need not run out.
	grab bool
	log  *slog.Logger

	kv jetstream.KeyValue // nil: to be opened
}

func newLease(s *Service, source string) *lease {
	key := base64.RawURLEncoding.EncodeToString([]byte(source)) // any name is a key
	return &lease{js: s.js, key: key, holder: s.tally.service, grab: s.cfg.NewRun, log: s.cfg.Log.With("source", source)}
}

// bucket opens the leases, and creates them where there are none.
func (l *lease) bucket(ctx context.Context) (kv jetstream.KeyValue, err error) {
	if l.kv != nil {
		return l.kv, nil
	}
	l.kv, err = l.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: schema.BucketLeases, Description: "Which service reads a live source", History: 1,
	})
	return l.kv, err
}

// hold waits until the lease is this service's, and calls read with a context
// that ends when it no longer is. It returns read's error, errLost, or that of
// ctx.
func (l *lease) hold(ctx context.Context, read func(context.Context, *tenure) error) error {
	t, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keeper sync.WaitGroup
	keeper.Go(func() {
		if t.keep(keeping) {
			cancel()
		}
	})
	err = read(reading, t)
	stop()
	keeper.Wait()
	if t.isLost() {
		l.log.Warn("stop reading", "err", errLost)
		return errLost
	}
	t.release(context.WithoutCancel(ctx))
	return err
}

// acquire waits for the lease.
func (l *lease) acquire(ctx context.Context) (*tenure, error) {
	var seen uint64 // the revision that was there at the last look, 0 for none
	var since time.Time
	told, failing := false, false
	for {
		asked := time.Now()
		revision, holder, err := l.look(ctx)
		free := revision == 0 || holder == "" || l.grab && holder != l.holder
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil: // what was seen before says nothing about the time between
			if !failing {
				l.log.Warn("look who reads: try again until it is known", "err", err)
			}
			seen = 0
		case free || revision == seen && asked.Sub(since) >= leaseTime:
			if t := l.take(ctx, revision); t != nil {
				l.log.Debug("read alone", "lease", t.revision)
				l.grab = false
				return t, nil
			}
		case revision != seen:
			seen, since = revision, time.Now()
		}
		if err == nil && !free && !told {
			l.log.Info("another service reads: wait to take over")
			told = true
		}
		failing = err != nil
		pause(ctx, leaseEvery)
	}
}

// look returns the present revision, 0 when there is none, and its holder.
func (l *lease) look(ctx context.Context) (revision uint64, holder string, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaseCall)
	defer cancel()
	kv, err := l.bucket(ctx)
	if err != nil {
		return 0, "", err
	}
	entry, err := kv.Get(ctx, l.key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return 0, "", nil
	case err != nil:
		l.kv = nil // a server that lost its files needs a new one
		return 0, "", err
	}
	return entry.Revision(), string(entry.Value()), nil
}

// put writes a holder when the revision is still the last.
func (l *lease) put(ctx context.Context, holder string, revision uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, leaseCall)
	defer cancel()
	kv, err := l.bucket(ctx)
	if err != nil {
		return 0, err
	}
	return kv.Update(ctx, l.key, []byte(holder), revision)
}

// take writes the own id behind a revision; nil when another was faster, or
// nobody knows.
func (l *lease) take(ctx context.Context, revision uint64) *tenure {
	began := time.Now()
	revision, err := l.put(ctx, l.holder, revision)
	if err != nil {
		return nil
	}
	return &tenure{lease: l, revision: revision, until: began.Add(leaseTime), changed: make(chan struct{})}
}
