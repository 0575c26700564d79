package feed

import "github.com/prometheus/client_golang/prometheus"

// Why a subscription was dropped, as the metric has it.
const (
	droppedSlow   = "slow"   // its own queue was full
	droppedMemory = "memory" // all queues together held too much
	droppedGap    = "gap"    // of the source
)

// metrics are the counts of a feed.
type metrics struct {
	all       []prometheus.Collector
	delivered prometheus.Counter
	dropped   *prometheus.CounterVec
	gaps      prometheus.Counter
}

func newMetrics(f *Feed) *metrics {
	gauge := func(name, help string, value func() int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			f.mu.Lock()
			defer f.mu.Unlock()
			return float64(value())
		})
	}
	m := &metrics{
		delivered: prometheus.NewCounter(prometheus.CounterOpts{Name: "visualizer_feed_delivered_total", Help: "Tweets put into the queue of a subscriber."}),
		dropped:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "visualizer_feed_dropped_total", Help: "Subscriptions that ended with FEED_GAP: slow, memory (all that waited was too much) or gap (of the source)."}, []string{"reason"}),
		gaps:      prometheus.NewCounter(prometheus.CounterOpts{Name: "visualizer_feed_gaps_total", Help: "Gaps of the source."}),
	}
	for _, reason := range []string{droppedSlow, droppedMemory, droppedGap} {
		m.dropped.WithLabelValues(reason)
	}
	m.all = []prometheus.Collector{
		gauge("visualizer_feed_subscribers", "Subscriptions that are open.", func() int { return f.subscriptions }),
		gauge("visualizer_feed_filters", "Distinct filters that are followed.", func() int { return len(f.filters) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "visualizer_feed_waiting_bytes", Help: "Memory of the tweets that wait for subscribers, about."}, func() float64 { return float64(f.waiting.Load()) }),
		m.delivered, m.dropped, m.gaps,
	}
	return m
}

// Metrics returns what the feed counts.
func (f *Feed) Metrics() []prometheus.Collector { return f.metrics.all }
