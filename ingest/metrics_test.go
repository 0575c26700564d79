package ingest

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"visualizer/schema"
)

// TestIndexFailures: a document that the index refuses is seen in the metric.
func TestIndexFailures(t *testing.T) {
	ctx, client := openRedis(t)
	registry := prometheus.NewRegistry()
	registry.MustRegister(indexFailures(client))
	value := func() float64 {
		families, err := registry.Gather()
		if err != nil || len(families) != 1 || families[0].GetName() != "visualizer_ingest_index_failures" {
			t.Fatalf("gathered %v, %v", families, err)
		}
		return families[0].GetMetric()[0].GetGauge().GetValue()
	}
	if got := value(); got != 0 {
		t.Errorf("with nothing refused the metric is %v", got)
	}
	mistyped := `{"t":{"id":5},"ix":{}}`
	if err := client.Do(ctx, client.B().JsonSet().Key(schema.TweetKey("5")).Path("$").Value(mistyped).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	if got := value(); got != 1 {
		t.Errorf("with one document refused the metric is %v", got)
	}
}
