package deploy

import (
	"os"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/redis/rueidis"

	"visualizer/internal/stack/stacktest"
)

// TestNATSConf compares nats.conf with the embedded server.
func TestNATSConf(t *testing.T) {
	opts, err := server.ProcessConfigFile("nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if !opts.JetStream || !opts.SyncAlways || opts.StoreDir != "/data" {
		t.Errorf("JetStream %v in %q, synced before each ack %v", opts.JetStream, opts.StoreDir, opts.SyncAlways)
	}
	if opts.JetStreamMaxStore != 1<<50 || opts.JetStreamMaxMemory != 256<<20 {
		t.Errorf("JetStream takes %d bytes on disk, %d in memory", opts.JetStreamMaxStore, opts.JetStreamMaxMemory)
	}
	if opts.HTTPHost != "127.0.0.1" || opts.HTTPPort != 8222 {
		t.Errorf("is watched at %s:%d", opts.HTTPHost, opts.HTTPPort)
	}
	url, options := stacktest.Start(t).NATS()
	conn, err := nats.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := int64(opts.MaxPayload); got != conn.MaxPayload() {
		t.Errorf("takes messages of %d bytes, the embedded server of %d", got, conn.MaxPayload())
	}
}

// searchNames are the names that the settings of the query engine have in Redis
// 8, and those that RediSearch has beside them.
var searchNames = map[string]string{
	"search-on-timeout":            "ON_TIMEOUT",
	"search-max-search-results":    "MAXSEARCHRESULTS",
	"search-max-aggregate-results": "MAXAGGREGATERESULTS",
	"search-max-prefix-expansions": "MAXPREFIXEXPANSIONS",
	"search-min-prefix":            "MINPREFIX",
	"search-default-dialect":       "DEFAULT_DIALECT",
}

// TestRedisConf wants each setting of redis.conf to be that of the redis-server
// that the visualizer command starts, and none of its search settings left out.
func TestRedisConf(t *testing.T) {
	text, err := os.ReadFile("redis.conf")
	if err != nil {
		t.Fatal(err)
	}
	opt, err := rueidis.ParseURL(stacktest.Start(t).RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	opt.DisableCache = true
	client, err := rueidis.NewClient(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ask := func(words ...string) map[string]string {
		got, err := client.Do(t.Context(), client.B().Arbitrary(words...).Build()).AsStrMap()
		if err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		return got
	}
	missing := map[string]bool{}
	for name := range searchNames {
		missing[name] = true
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		delete(missing, name)
		switch {
		case name == "" || name == "#":
		case name == "protected-mode" || name == "dir": // of the container
		case searchNames[name] != "":
			// RediSearch says unlimited for 2³¹, the most that Redis 8 takes.
			got := ask("FT.CONFIG", "GET", searchNames[name])[searchNames[name]]
			if got != strings.Replace(value, "2147483648", "unlimited", 1) {
				t.Errorf("%s is %s, on this machine %s", name, value, got)
			}
		default:
			if got, ok := ask("CONFIG", "GET", name)[name]; !ok || got != strings.Trim(value, `"`) {
				t.Errorf("%s is %s, on this machine %q", name, value, got)
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("leaves to the image: %v", missing)
	}
}
