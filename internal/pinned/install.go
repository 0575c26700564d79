package pinned

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// npmInstall returns the folder that holds node_modules as dir's lock file has it.
func npmInstall(t testing.TB, dir string) string {
	t.Helper()
	return install(t, filepath.Join(dir, "package-lock.json"), func(to string) {
		for _, name := range []string{"package.json", "package-lock.json"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(to, name), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		output(t, to, nil, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
	})
}

// pipInstall returns a folder of the packages that dir's requirements.txt names.
// It is no virtual environment, which some Pythons can't make.
func pipInstall(t testing.TB, dir string) string {
	t.Helper()
	return install(t, filepath.Join(dir, "requirements.txt"), func(to string) {
		output(t, dir, nil, "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
			"--no-deps", "--only-binary=:all:", "--require-hashes", "--target", to, "--requirement", "requirements.txt")
	})
}

// install returns the folder of a lock file. The first to come fills it, while
// others wait; it has its name when it is complete, so that one that was broken
// off is never used.
func install(t testing.TB, lockFile string, fill func(to string)) string {
	t.Helper()
	text, err := os.ReadFile(lockFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache(t), fmt.Sprintf("%x", sha256.Sum256(text))[:16])
	lock := flock.New(dir+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(t.Context(), 20*time.Millisecond); err != nil {
		t.Fatalf("lock %s: %v", dir, err)
	}
	defer lock.Unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	tmp := dir + ".tmp"
	if err := os.RemoveAll(tmp); err != nil { // what a killed run left
		t.Fatal(err)
	}
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	fill(tmp)
	if err := os.Rename(tmp, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cache is a folder of its own beside those of the servers.
func cache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "visualizer", "packages")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
