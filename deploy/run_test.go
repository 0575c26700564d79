package deploy

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/redis/rueidis"

	"visualizer/internal/stack/stacktest"
)

// brokerVariable names the folder of a child that is the broker.
const brokerVariable = "DEPLOY_TEST_BROKER"

// broker is what the test binary does instead of testing when a test started it
// as a NATS to be frozen: it runs nats.conf, on ports of its own.
func broker() {
	dir := os.Getenv(brokerVariable)
	if dir == "" {
		return
	}
	opts, err := server.ProcessConfigFile("nats.conf")
	if err != nil {
		panic(err)
	}
	opts.Host, opts.Port, opts.HTTPPort, opts.StoreDir = "127.0.0.1", server.RANDOM_PORT, server.RANDOM_PORT, dir
	srv, err := server.NewServer(opts)
	if err != nil {
		panic(err)
	}
	go srv.Start()
	if !srv.ReadyForConnections(patience) {
		panic("NATS doesn't start")
	}
	fmt.Println(srv.ClientURL(), srv.MonitorAddr().String())
	srv.WaitForShutdown()
	os.Exit(0)
}

// startBroker returns the process and its two addresses.
func startBroker(t *testing.T) (p *os.Process, url, monitor string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), brokerVariable+"="+t.TempDir())
	cmd.Stderr = t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("start NATS with nats.conf: %v", err)
	}
	url, monitor, _ = strings.Cut(strings.TrimSpace(said), " ")
	return cmd.Process, url, monitor
}

// container is a service that runs as docker-compose.yml says, but on other
// addresses and outside a container.
type container struct {
	name    string
	service types.ServiceConfig
	bin     string
	env     []string
	cmd     *exec.Cmd
}

func startContainer(t *testing.T, bin string, s types.ServiceConfig, addresses *strings.Replacer) *container {
	t.Helper()
	c := &container{name: s.Name, service: s, bin: bin}
	for name, value := range s.Environment {
		c.env = append(c.env, name+"="+addresses.Replace(*value))
	}
	c.cmd = c.exec(context.Background(), append(s.Entrypoint, s.Command...))
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.cmd.Stderr = t.Output()
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() })
	return c
}

// exec prepares a command of the container; it has the container's environment
// and nothing else.
func (c *container) exec(ctx context.Context, words []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, words[0]), words[1:]...)
	cmd.Env = c.env
	return cmd
}

// health runs the health check as Docker would.
func (c *container) health() (healthy bool, said string) {
	h := c.service.HealthCheck
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*h.Timeout))
	defer cancel()
	out, err := c.exec(ctx, h.Test[1:]).CombinedOutput()
	return err == nil, string(out)
}

// await waits for the service to be healthy, or not to be and to say why.
func (c *container) await(t *testing.T, healthy bool, why string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		ok, said := c.health()
		if ok == healthy && strings.Contains(said, why) {
			if strings.Count(said, "\n") > 1 {
				t.Errorf("%s says more than a line:\n%s", c.name, said)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: healthy %v, want %v with %q; it says %q", c.name, ok, healthy, why, said)
		}
	}
}

// stop ends the service as Docker does.
func (c *container) stop(t *testing.T) {
	t.Helper()
	began := time.Now()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("%s ended with %v", c.name, err)
	}
	if took, grace := time.Since(began), time.Duration(*c.service.StopGracePeriod); took > grace {
		t.Errorf("%s took %s to stop; it is killed after %s", c.name, took, grace)
	}
}

// TestHealth builds the services as for their image, runs them with the settings
// of docker-compose.yml and freezes the servers below them: each health check must
// tell.
func TestHealth(t *testing.T) {
	bin := build(t)
	checkStatic(t, bin)
	project := load(t, nil)
	checkVariables(t, bin, project)
	natsProcess, natsURL, monitor := startBroker(t)
	redisURL := stacktest.Start(t).RedisURL()
	redisProcess := processOf(t, redisURL)
	addresses := strings.NewReplacer(
		"redis://redis:6379", redisURL, "nats://nats:4222", natsURL,
		":8080", freePort(t), ":9090", freePort(t), ":9091", freePort(t),
	)
	query := startContainer(t, bin, project.Services["query"], addresses)
	query.await(t, false, "not ready: query: ")
	ingest := startContainer(t, bin, project.Services["ingest"], addresses)
	ingest.await(t, true, "")
	query.await(t, true, "")
	natsTest := project.Services["nats"].HealthCheck.Test
	natsHealth := strings.Replace(natsTest[len(natsTest)-1], "127.0.0.1:8222", monitor, 1)
	// It is unhealthy while a consumer is being made, as a container may be at
	// its start.
	for began := time.Now(); ; {
		err := get(natsHealth)
		if err == nil {
			break
		}
		if time.Since(began) > patience {
			t.Fatalf("NATS is up: %v", err)
		}
	}

	freeze(t, natsProcess)
	ingest.await(t, false, "nats")
	if err := get(natsHealth); err == nil {
		t.Error("a frozen NATS is healthy")
	}
	query.await(t, true, "")
	thaw(t, natsProcess)
	ingest.await(t, true, "")

	freeze(t, redisProcess)
	ingest.await(t, false, "ingest")
	query.await(t, false, "query")
	thaw(t, redisProcess)
	ingest.await(t, true, "")
	query.await(t, true, "")

	ingest.stop(t)
	ingest.await(t, false, "refused")
	query.stop(t)
	query.await(t, false, "refused")
}

func freeze(t *testing.T, p *os.Process) { send(t, p, syscall.SIGSTOP) }
func thaw(t *testing.T, p *os.Process)   { send(t, p, syscall.SIGCONT) }

func send(t *testing.T, p *os.Process, sig os.Signal) {
	t.Helper()
	if err := p.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// processOf finds the process of a redis-server, and lets it run again when the
// test ends early.
func processOf(t *testing.T, url string) *os.Process {
	t.Helper()
	opt, err := rueidis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	opt.DisableCache = true
	client, err := rueidis.NewClient(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	info, err := client.Do(t.Context(), client.B().Info().Section("server").Build()).ToString()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(info, "process_id:")
	pid, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Signal(syscall.SIGCONT) })
	return p
}

// freePort returns one as ":port" that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return fmt.Sprintf(":%d", ln.Addr().(*net.TCPAddr).Port)
}

// get asks as the health check of NATS does: wget fails for any status but 200.
func get(url string) error {
	client := &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, resp.Status)
	}
	return nil
}
