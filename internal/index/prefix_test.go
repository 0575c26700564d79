package index_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/redis/rueidis"

	"visualizer/internal/index"
	"visualizer/internal/stack/stacktest"
)

// TestPrefixLimit: a server with the default limit of 200 gets one that cuts
// nothing; one that refuses is served all the same, and the log tells.
func TestPrefixLimit(t *testing.T) {
	servers := stacktest.Start(t)
	client := stacktest.Redis(t, servers)
	limit := func(args ...string) string {
		reply, err := client.Do(t.Context(), client.B().Arbitrary("FT.CONFIG").Args(args...).Build()).ToAny()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(reply)
	}
	limit("SET", "MAXPREFIXEXPANSIONS", "200")
	refused := client.B().Arbitrary("ACL", "SETUSER", "limited", "on", "nopass", "~*", "&*", "+@all", "-config", "-ft.config").Build()
	if err := client.Do(t.Context(), refused).Error(); err != nil {
		t.Fatal(err)
	}
	option, err := rueidis.ParseURL(servers.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	option.Username, option.Password = "limited", "any"
	limited, err := rueidis.NewClient(option)
	if err != nil {
		t.Fatal(err)
	}
	defer limited.Close()

	var told bytes.Buffer
	log := slog.New(slog.NewTextHandler(&told, nil))
	if _, err := index.Ensure(t.Context(), limited, log); err != nil || !strings.Contains(told.String(), "search-max-prefix-expansions") {
		t.Errorf("a server that refuses gives %v, and the log says %s", err, &told)
	}
	if got := limit("GET", "MAXPREFIXEXPANSIONS"); !strings.Contains(got, "200") {
		t.Fatalf("the limit is %s before", got)
	}
	if err := index.CheckPrefixes(t.Context(), limited); err != nil {
		t.Errorf("a server that doesn't show its settings: %v", err)
	}
	told.Reset()
	if _, err := index.Ensure(t.Context(), client, log); err != nil || strings.Contains(told.String(), "WARN") {
		t.Errorf("Ensure gives %v, and the log says %s", err, &told)
	}
	if got := limit("GET", "MAXPREFIXEXPANSIONS"); !strings.Contains(got, "1000000") {
		t.Errorf("the limit is %s", got)
	}
}
