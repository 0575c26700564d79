package faults

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/rueidis"

	"visualizer/internal/line"
	"visualizer/internal/stack"
	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// rig is a line whose every part can be hurt: redis-server, NATS and each
// ingest are processes of their own, and ingest reaches the servers through
// proxies.
type rig struct {
	t     *testing.T
	bin   string // of the commands
	data  string
	redis rueidis.Client // not through the proxy
	nats  *process
	js    jetstream.JetStream // not through the proxy
	conn  *nats.Conn
	feed  *feed

	redisProxy, natsProxy *proxy
}

func newRig(t *testing.T, f *feed) *rig {
	t.Helper()
	data, err := os.MkdirTemp("", "v") // short, so that NATS gets a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	r := &rig{t: t, bin: t.TempDir(), data: data, feed: f}
	if out, err := exec.Command("go", "build", "-o", r.bin, "visualizer/cmd/ingest").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	natsData := filepath.Join(data, "n")
	r.nats = supervise(t, "nats", func() *exec.Cmd { return natsCommand(t, natsData) })
	dialNATS := func() (net.Conn, error) { return net.Dial("unix", filepath.Join(natsData, "nats", "nats.sock")) }
	r.natsProxy = newProxy(t, dialNATS)
	servers := stacktest.Start(t, stacktest.Data(filepath.Join(data, "r")), func(c *stack.Config) { c.NATSURL = "nats://none" })
	r.redis = stacktest.Redis(t, servers)
	socket := strings.TrimPrefix(servers.RedisURL(), "unix://")
	r.redisProxy = newProxy(t, func() (net.Conn, error) { return net.Dial("unix", socket) })
	eventually(t, "nats takes connections", func() bool { conn, err := dialNATS(); return err == nil && conn.Close() == nil })
	if r.conn, err = nats.Connect("nats://"+r.natsProxy.addr(), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.conn.Close)
	if r.js, err = jetstream.New(r.conn); err != nil {
		t.Fatal(err)
	}
	if f != nil {
		r.confirming()
	}
	return r
}

// natsCommand is this binary as a NATS, which ends when this process does.
func natsCommand(t *testing.T, dir string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), natsVariable+"="+dir)
	cmd.Stderr = t.Output()
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// service is an ingest service.
type service struct {
	*process
	r   *rig
	ops string
}

// ingest supervises an ingest service that reads the feed, and returns when it
// is ready.
func (r *rig) ingest(name string) *service {
	r.t.Helper()
	s := &service{r: r, ops: freeAddress(r.t)}
	s.process = supervise(r.t, "ingest "+name, func() *exec.Cmd {
		cmd := r.command("--source", "x", "--x-url", r.feed.URL, "--ops-listen", s.ops)
		cmd.Env = append(cmd.Env, "VISUALIZER_X_BEARER_TOKEN=token-of-"+name)
		return cmd
	})
	eventually(r.t, name+" is ready", func() bool { return s.ready() == "" })
	return s
}

// command is the ingest command on the rig's servers.
func (r *rig) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(r.bin, "ingest"), append(args, "--log-level", "warn",
		"--redis-url", "redis://"+r.redisProxy.addr(), "--nats-url", "nats://"+r.natsProxy.addr())...)
	cmd.Stderr = r.t.Output()
	cmd.Env = os.Environ()
	return cmd
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// ready is what /readyz says against the service, "" when nothing.
func (s *service) ready() string {
	code, body := s.get("/readyz")
	if code == http.StatusOK {
		return ""
	}
	return fmt.Sprint(code, " ", strings.TrimSpace(body))
}

// get asks the service's operators' listener; 0 when it doesn't answer.
func (s *service) get(path string) (code int, body string) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	resp, err := client.Get("http://" + s.ops + path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(data)
}

// metric is the sum over the series of a metric; false when it has none.
func (s *service) metric(name string) (sum float64, ok bool) {
	_, body := s.get("/metrics")
	for text := range strings.Lines(body) {
		series, value, _ := strings.Cut(strings.TrimSpace(text), " ")
		if base, _, _ := strings.Cut(series, "{"); base != name {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			s.t.Fatalf("metric %q: %v", text, err)
		}
		sum, ok = sum+n, true
	}
	return sum, ok
}

// memory is the most memory that the service has had, in bytes.
func (s *service) memory() int64 {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid()))
	if err != nil {
		s.t.Fatal(err)
	}
	kB, err := strconv.ParseInt(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))[1], 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return kB << 10
}

// pause stops a process for a while, and fails unless it stood still.
func (r *rig) pause(pid int, d time.Duration) {
	r.t.Helper()
	r.signal(pid, syscall.SIGSTOP)
	eventually(r.t, "the process stands still", func() bool { return stateOf(pid) == "T" })
	time.Sleep(d) // how long is what the fault is
	r.signal(pid, syscall.SIGCONT)
}

func (r *rig) signal(pid int, s syscall.Signal) {
	r.t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		r.t.Fatalf("send %v to %d: %v", s, pid, err)
	}
}

// stateOf is the kernel's letter for what a process does.
func stateOf(pid int) string {
	stat, err := os.Open(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	defer stat.Close()
	text, _ := bufio.NewReader(stat).ReadString('\n')
	_, rest, _ := strings.Cut(text, ") ")
	return rest[:min(1, len(rest))]
}

// info returns a field of Redis' INFO, or "" while it doesn't answer.
func (r *rig) info(section, field string) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
	defer cancel()
	text, _ := r.redis.Do(ctx, r.redis.B().Info().Section(section).Build()).ToString()
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			return value
		}
	}
	return ""
}

func (r *rig) redisPID() int {
	r.t.Helper()
	pid := 0
	eventually(r.t, "redis tells its process", func() bool { pid, _ = strconv.Atoi(r.info("server", "process_id")); return pid != 0 })
	return pid
}

// killRedis ends redis-server, and returns when another has taken its place.
func (r *rig) killRedis() {
	r.t.Helper()
	before := r.redisPID()
	r.signal(before, syscall.SIGKILL)
	eventually(r.t, "another redis-server answers", func() bool { return r.redisPID() != before })
}

// do sends a command to Redis.
func (r *rig) do(args ...string) {
	r.t.Helper()
	if err := r.redis.Do(r.t.Context(), r.redis.B().Arbitrary(args...).Build()).Error(); err != nil {
		r.t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
}

// status is what stream tells.
func (r *rig) status() *schema.Status {
	r.t.Helper()
	var s *schema.Status
	eventually(r.t, "the status can be read", func() bool {
		var err error
		s, err = line.Status(r.t.Context(), r.redis)
		return err == nil
	})
	return s
}

// confirm returns when what the feed has sent is stored.
func (r *rig) confirm() {
	r.t.Helper()
	eventually(r.t, "what was sent is stored", func() bool {
		conn, newest := r.feed.progress()
		if newest == "" {
			return false
		}
		eventually(r.t, "the newest tweet is stored", func() bool { return r.knows(newest) })
		now, _ := r.feed.progress()
		return now == conn
	})
}

// confirming notes what is stored of what the feed has sent, so that a new
// connection need not begin long before that: on a machine that is too busy to
// store much more than the feed makes, the repeats would outgrow the tweets.
func (r *rig) confirming() {
	stop, stopped := make(chan struct{}), make(chan struct{})
	r.t.Cleanup(func() { close(stop); <-stopped })
	go func() {
		defer close(stopped)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				r.feed.stored(r.storedOf(r.feed.unknown(liveRate)))
			}
		}
	}()
}

// storedOf is how many of tweets, from the first on, were stored.
func (r *rig) storedOf(ids []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var cmds rueidis.Commands
	for _, id := range ids {
		cmds = append(cmds, r.redis.B().Exists().Key(schema.TweetKey(id), schema.HiddenKey(id)).Build(),
			r.redis.B().Sismember().Key(schema.TombstonesKey).Member(id).Build())
	}
	replies := r.redis.DoMulti(ctx, cmds...)
	for i := range ids {
		there, err := replies[2*i].AsInt64()
		deleted, err2 := replies[2*i+1].AsInt64()
		if err != nil || err2 != nil || there+deleted == 0 {
			return i
		}
	}
	return len(ids)
}

// knows reports whether a tweet was stored.
func (r *rig) knows(id string) bool { return r.storedOf([]string{id}) == 1 }

// services is how many ingest services are alive.
func (r *rig) services() int {
	services, err := line.Services(r.t.Context(), r.redis)
	if err != nil {
		return 0
	}
	return len(services)
}
