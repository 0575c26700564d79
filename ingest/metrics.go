package ingest

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"

	"visualizer/internal/index"
)

// metrics are what ingest shows at /metrics.
type metrics struct {
	received        *prometheus.CounterVec
	published       prometheus.Counter
	publishFailures prometheus.Counter
	rejected        *prometheus.CounterVec
	storeFailures   prometheus.Counter
	transaction     prometheus.Histogram
	sync            prometheus.Histogram
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "visualizer", Subsystem: "ingest", Name: name, Help: help}
	}
	seconds := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: "visualizer", Subsystem: "ingest", Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15)}
	}
	m := &metrics{
		received:        prometheus.NewCounterVec(counter("events_total", "Events read from the sources, by kind."), []string{"kind"}),
		published:       prometheus.NewCounter(counter("published_tweets_total", "Tweets that JetStream has taken.")),
		publishFailures: prometheus.NewCounter(counter("publish_failures_total", "Tries to publish that failed and were made again.")),
		rejected:        prometheus.NewCounterVec(counter("rejected_total", "Records set aside, by reason."), []string{"reason"}),
		storeFailures:   prometheus.NewCounter(counter("store_failures_total", "Transactions that failed and were made again.")),
		transaction:     prometheus.NewHistogram(seconds("transaction_seconds", "Time to store the tweets of one transaction, retries included.")),
		sync:            prometheus.NewHistogram(seconds("sync_seconds", "Time until what is stored is on Redis' disk.")),
	}
	reg.MustRegister(m.received, m.published, m.publishFailures, m.rejected, m.storeFailures, m.transaction, m.sync)
	return m
}

// failureTimeout bounds what one scrape waits for Redis.
const failureTimeout = time.Second

// indexFailures shows how many documents the index has refused, -1 when that
// can't be read.
func indexFailures(client rueidis.Client) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "visualizer", Subsystem: "ingest", Name: "index_failures",
		Help: "Documents that the index has refused: stored tweets that are not found. Anything but 0 is a fault; -1 when it can't be read.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), failureTimeout)
		defer cancel()
		n, err := index.Failures(ctx, client)
		if err != nil {
			return -1
		}
		return float64(n)
	})
}
