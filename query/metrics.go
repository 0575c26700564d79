package query

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"visualizer/query/cache"
)

var asked = prometheus.NewDesc("visualizer_query_cache_total",
	"Questions to a cache by how they were answered: hit from the cache, shared with another's trip to Redis, miss by a trip of their own.",
	[]string{"cache", "answer"}, nil)

// cacheMetrics shows the counts of caches by name.
type cacheMetrics map[string]*cache.Stats

func (cacheMetrics) Describe(to chan<- *prometheus.Desc) { to <- asked }

func (m cacheMetrics) Collect(to chan<- prometheus.Metric) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		s := m[name]
		for answer, n := range map[string]int64{"hit": s.Hits.Load(), "shared": s.Shared.Load(), "miss": s.Misses.Load()} {
			to <- prometheus.MustNewConstMetric(asked, prometheus.CounterValue, float64(n), name, answer)
		}
	}
}
