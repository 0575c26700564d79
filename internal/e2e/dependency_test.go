package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// TestDependencies keeps servers and what tests need out of the services.
func TestDependencies(t *testing.T) {
	for _, c := range []struct {
		pkg  string
		none []string
	}{
		{"visualizer/cmd/ingest", []string{"github.com/nats-io/nats-server", "visualizer/internal/stack", "visualizer/query", "visualizer/graph", "github.com/99designs/gqlgen", "testing"}},
		{"visualizer/cmd/query", []string{"github.com/nats-io/nats-server", "visualizer/internal/stack", "visualizer/ingest", "testing"}},
		{"visualizer/schema", []string{"net", "os/exec", "visualizer/ingest", "visualizer/query", "visualizer/graph", "visualizer/internal"}},
	} {
		out, err := exec.Command("go", "list", "-deps", c.pkg).Output()
		if err != nil {
			t.Fatalf("list the dependencies of %s: %v", c.pkg, err)
		}
		for dep := range strings.Lines(string(out)) {
			dep = strings.TrimSpace(dep)
			for _, none := range c.none {
				if dep == none || strings.HasPrefix(dep, none+"/") {
					t.Errorf("%s depends on %s", c.pkg, dep)
				}
			}
		}
	}
}
