package e2e

import (
	"path/filepath"
	"testing"

	"visualizer/internal/pinned"
)

// TestTypes: what graphql-codegen makes of the SDL compiles as strict TypeScript,
// and says of DateTime and Long, enums and null what is so.
func TestTypes(t *testing.T) {
	t.Parallel()
	sdl, err := filepath.Abs("../../schema/schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	if out := pinned.Node(t, clientsDir, "codegen.js", sdl); out != "" {
		t.Error(out)
	}
}
