package e2e

import (
	"strings"
	"testing"
)

// TestMetrics scrapes what each hop shows while tweets go through it.
func TestMetrics(t *testing.T) {
	t.Parallel()
	cfg := settings(t.TempDir(), "sim")
	cfg.OpsListen = freeAddress(t)
	rate := 300.0
	cfg.Rate = &rate
	l := start(t, cfg)
	eventually(t, "tweets are stored, updated and deleted", func() bool {
		s := l.status()
		return s.Stored > 500 && s.Updated > 0 && s.Deleted > 0
	})
	metrics := get(t, "http://"+cfg.OpsListen+"/metrics")
	for _, series := range []string{
		`events_total{kind="tweet"}`, `published_tweets_total`, `publish_failures_total`, `store_failures_total`,
		`written_tweets_total{result="stored"}`, `written_tweets_total{result="updated"}`, `written_tweets_total{result="duplicate"}`,
		`deleted_tweets_total`, `pending_messages`, `lag_seconds`, `index_failures`,
		`batch_events_count`, `publish_seconds_count`, `store_seconds_count`, `durable_seconds_count`,
		`transaction_seconds_count`, `sync_seconds_count`,
	} {
		if !strings.Contains(metrics, "\nvisualizer_ingest_"+series+" ") {
			t.Errorf("there is no %s", series)
		}
	}
	for _, counted := range []string{`written_tweets_total{result="stored"}`, `batch_events_count`, `publish_seconds_count`, `store_seconds_count`, `transaction_seconds_count`} {
		if strings.Contains(metrics, "\nvisualizer_ingest_"+counted+" 0\n") {
			t.Errorf("%s is 0", counted)
		}
	}
}
