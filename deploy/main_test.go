// Package deploy holds what runs Visualizer in containers. Its tests need no
// container engine: they read docker-compose.yml as Compose does, build the
// services as the Dockerfile does, and run them with the settings of the file.
package deploy

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"go.uber.org/goleak"
)

// patience bounds every wait; it is long because the machine may be busy.
const patience = 90 * time.Second

func TestMain(m *testing.M) {
	broker()
	goleak.VerifyTestMain(m)
}

// load reads docker-compose.yml in the environment env, of NAME=value.
func load(t *testing.T, env []string, profiles ...string) *types.Project {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yml")},
		cli.WithWorkingDirectory(root), cli.WithProfiles(profiles), cli.WithEnv(env), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatalf("load docker-compose.yml: %v", err)
	}
	return project
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
