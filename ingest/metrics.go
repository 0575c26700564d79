package ingest

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/schema"
)

// metrics are what ingest shows at /metrics.
type metrics struct {
	received        *prometheus.CounterVec
	published       prometheus.Counter
	publishFailures prometheus.Counter
	written         *prometheus.CounterVec
	deleted         prometheus.Counter
	rejected        *prometheus.CounterVec
	down            *prometheus.CounterVec
	storeFailures   prometheus.Counter
	pending         prometheus.Gauge
	lag             prometheus.Gauge
	batch           prometheus.Histogram
	publish         prometheus.Histogram
	store           prometheus.Histogram
	durable         prometheus.Histogram
	transaction     prometheus.Histogram
	sync            prometheus.Histogram
}

// Names of metrics begin with these.
const (
	namespace = "visualizer"
	subsystem = "ingest"
)

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	}
	histogram := func(name, help string, first float64) prometheus.Histogram {
		const buckets = 15 // each twice as wide: from 0.5 ms to 8 s, or from 1 to 16,384
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(first, 2, buckets),
		})
	}
	seconds := func(name, help string) prometheus.Histogram { return histogram(name, help, 0.0005) }
	m := &metrics{
		received:        prometheus.NewCounterVec(counter("events_total", "Events read from the sources, by kind."), []string{"kind"}),
		published:       prometheus.NewCounter(counter("published_tweets_total", "Tweets that JetStream has taken.")),
		publishFailures: prometheus.NewCounter(counter("publish_failures_total", "Tries to publish that failed and were made again.")),
		written:         prometheus.NewCounterVec(counter("written_tweets_total", "Tweets that this service has taken to Redis, by result: stored for the first time, updated, or a duplicate that changed nothing."), []string{"result"}),
		deleted:         prometheus.NewCounter(counter("deleted_tweets_total", "Stored tweets that this service has removed.")),
		rejected:        prometheus.NewCounterVec(counter("rejected_total", "Records set aside, by reason."), []string{"reason"}),
		down:            prometheus.NewCounterVec(counter("disconnections_total", "Connections to a stream that ended or could not be made, by problem."), []string{"problem"}),
		storeFailures:   prometheus.NewCounter(counter("store_failures_total", "Transactions that failed and were made again.")),
		pending:         gauge("pending_messages", "Messages of all services that JetStream holds and no writer has stored and acked."),
		lag:             gauge("lag_seconds", "Age of the oldest message that JetStream holds and no writer has stored and acked; 0 when there is none."),
		batch:           histogram("batch_events", "Events in a message to JetStream.", 1),
		publish:         seconds("publish_seconds", "Time from the arrival of a message's first event until JetStream has it on disk."),
		store:           seconds("store_seconds", "Time from JetStream's taking a message until it is in Redis, and can be found."),
		durable:         seconds("durable_seconds", "Time from JetStream's taking a message until it is on Redis' disk and acked."),
		transaction:     seconds("transaction_seconds", "Time to store the tweets of one transaction, retries included."),
		sync:            seconds("sync_seconds", "Time until what is stored is on Redis' disk."),
	}
	reg.MustRegister(m.received, m.published, m.publishFailures, m.written, m.deleted, m.rejected, m.down, m.storeFailures,
		m.pending, m.lag, m.batch, m.publish, m.store, m.durable, m.transaction, m.sync)
	for _, result := range []string{schema.StatusStored, schema.StatusUpdated, schema.StatusDuplicates} {
		m.written.WithLabelValues(resultLabels()[result]) // a rate needs the 0 before the first
	}
	return m
}

// resultLabels are the values of the label result, by field of the status.
func resultLabels() map[string]string {
	return map[string]string{schema.StatusStored: "stored", schema.StatusUpdated: "updated", schema.StatusDuplicates: "duplicate"}
}

// wrote counts what a transaction has done. A document that Redis refused was
// counted by its plan, unless an earlier one did.
func (m *metrics) wrote(done outcome) {
	refused := map[string]int64{}
	for _, r := range done.refused {
		if !r.again {
			refused[r.counted]++
		}
	}
	for field, label := range resultLabels() {
		m.written.WithLabelValues(label).Add(float64(max(done.counts[field]-refused[field], 0)))
	}
	m.deleted.Add(float64(done.counts[schema.StatusDeleted]))
}

// since is the time since JetStream took a message, in seconds. It is the time
// of its server's clock, which may be ahead.
func (d delivery) since() float64 {
	return max(time.Since(time.UnixMicro(d.stored)).Seconds(), 0)
}

// failureTimeout bounds what one scrape waits for Redis.
const failureTimeout = time.Second

// indexFailures shows how many documents the index has refused, -1 when that
// can't be read.
func indexFailures(client rueidis.Client) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Subsystem: subsystem, Name: "index_failures",
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
