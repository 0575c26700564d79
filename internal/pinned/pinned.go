package pinned

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// limit is how long a program or an installation may take, with a slow network
// and a busy machine.
const limit = 5 * time.Minute

// Node runs a program of dir, which has a package.json and a package-lock.json,
// and returns what it prints on stdout. The test fails when the program does, and
// is left out where npm is missing, unless CI is set.
func Node(t testing.TB, dir string, args ...string) string {
	t.Helper()
	need(t, "npm", "--version")
	// Packages are looked for beside the program, so it runs from a copy.
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
		t.Fatalf("copy %s: %v", dir, err)
	}
	if err := os.Symlink(filepath.Join(npmInstall(t, dir), "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return output(t, work, nil, "node", args...)
}

// Python runs a program of dir, which has a requirements.txt with hashes, and
// returns what it prints on stdout. The test fails when the program does, and is
// left out where python3 or pip is missing, unless CI is set.
func Python(t testing.TB, dir string, args ...string) string {
	t.Helper()
	need(t, "python3", "-m", "pip", "--version")
	env := []string{"PYTHONPATH=" + pipInstall(t, dir)}
	return output(t, dir, env, "python3", append([]string{"-s", "-B"}, args...)...)
}

// need leaves the test out where a program doesn't run, unless CI is set.
func need(t testing.TB, program string, args ...string) {
	t.Helper()
	if err := exec.CommandContext(t.Context(), program, args...).Run(); err != nil && os.Getenv("CI") == "" {
		t.Skipf("needs %s: %v", program, err)
	}
}

// output runs a program in dir, with further variables, and returns its stdout.
func output(t testing.TB, dir string, env []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second // for children of one that was killed
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run %v: %v\n%s%s", cmd.Args, err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}
