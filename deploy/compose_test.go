package deploy

import (
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
)

func TestServicesOfCompose(t *testing.T) {
	if got := load(t, nil).ServiceNames(); !slices.Equal(got, []string{"ingest", "nats", "query", "redis"}) {
		t.Errorf("services are %v", got)
	}
	project := load(t, nil, "graph")
	if got := project.ServiceNames(); !slices.Equal(got, []string{"graph", "ingest", "nats", "query", "redis"}) {
		t.Errorf("services with the graph are %v", got)
	}
	for name, s := range project.Services {
		t.Run(name, func(t *testing.T) {
			checkConfined(t, s)
			checkImage(t, s)
			checkPorts(t, s)
			checkStorage(t, s, project)
			checkHealth(t, s)
			checkWaits(t, s, project)
			if s.Restart != types.RestartPolicyUnlessStopped {
				t.Errorf("restart is %q", s.Restart)
			}
			if s.Logging == nil || s.Logging.Options["max-size"] == "" || s.Logging.Options["max-file"] == "" {
				t.Error("its log grows without bound")
			}
			if s.MemReservation == 0 || s.PidsLimit == 0 {
				t.Errorf("reserves %d bytes and may have %d processes", s.MemReservation, s.PidsLimit)
			}
		})
	}
}

// checkConfined wants a service that can change nothing but its data.
func checkConfined(t *testing.T, s types.ServiceConfig) {
	t.Helper()
	if !s.ReadOnly {
		t.Error("its root can be written to")
	}
	if !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 || s.Privileged {
		t.Errorf("capabilities: drops %v, adds %v", s.CapDrop, s.CapAdd)
	}
	if !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) {
		t.Errorf("security_opt is %v", s.SecurityOpt)
	}
	if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(s.User) {
		t.Errorf("runs as %q: want the numbers of a user and a group other than root", s.User)
	}
}

// checkImage wants a tag that someone chose, in a variable that may hold a digest.
func checkImage(t *testing.T, s types.ServiceConfig) {
	t.Helper()
	_, tag, ok := strings.Cut(s.Image, ":")
	if !ok || tag == "latest" {
		t.Errorf("image %q has no tag", s.Image)
	}
	// The entrypoint of Redis' image adds its modules to this command only.
	own := s.Name == "ingest" || s.Name == "query"
	if !own && len(s.Entrypoint) > 0 || s.Name == "redis" && s.Command[0] != "redis-server" {
		t.Errorf("starts %v %v in place of what its image starts", s.Entrypoint, s.Command)
	}
	if s.Build == nil {
		return
	}
	if !exists(s.Build.Context) || s.Build.Dockerfile == "" {
		t.Errorf("builds %+v", s.Build)
	}
	stages := readDockerfile(t).stages
	if !slices.Contains(stages, s.Build.Target) {
		t.Errorf("builds the stage %q; there are %v", s.Build.Target, stages)
	}
	for arg := range s.Build.Args {
		if !slices.Contains(readDockerfile(t).args, arg) {
			t.Errorf("gives the build %s, which it doesn't read", arg)
		}
	}
}

// checkPorts wants ports for this machine only, and of the services only.
func checkPorts(t *testing.T, s types.ServiceConfig) {
	t.Helper()
	_, public := s.Networks["edge"]
	if _, ok := s.Networks["servers"]; !ok || public != (s.Name == "ingest" || s.Name == "query") {
		t.Errorf("networks are %v", s.NetworksByPriority())
	}
	if len(s.Ports) > 0 && !public {
		t.Errorf("publishes %v", s.Ports)
	}
	for _, p := range s.Ports {
		if ip := net.ParseIP(p.HostIP); !ip.IsLoopback() {
			t.Errorf("publishes port %d on %q", p.Target, p.HostIP)
		}
	}
}

// checkStorage wants named volumes and files that exist.
func checkStorage(t *testing.T, s types.ServiceConfig, project *types.Project) {
	t.Helper()
	if server := s.Name != "ingest" && s.Name != "query"; server != (len(s.Volumes) == 1) {
		t.Errorf("volumes are %v", s.Volumes)
	}
	for _, v := range s.Volumes {
		if _, ok := project.Volumes[v.Source]; v.Type != types.VolumeTypeVolume || !ok {
			t.Errorf("%s is kept in %q, a %s", v.Target, v.Source, v.Type)
		}
	}
	for _, c := range s.Configs {
		if file := project.Configs[c.Source].File; !exists(file) {
			t.Errorf("%s is the file %q, which isn't there", c.Target, file)
		}
		if s.Name == "redis" && !slices.Contains(s.Command, c.Target) {
			t.Errorf("%v doesn't read %s", s.Command, c.Target)
		}
	}
	if !project.Networks["servers"].Internal {
		t.Error("the servers' network is open")
	}
}

// checkHealth wants a check that ends in time, of programs that its image has.
func checkHealth(t *testing.T, s types.ServiceConfig) {
	t.Helper()
	h := s.HealthCheck
	if h == nil || h.Disable || len(h.Test) < 2 {
		t.Fatalf("health check is %+v", h)
	}
	asks := map[string]string{
		"redis": "redis-cli", "graph": "redis-cli", "nats": "wget", "ingest": "ingest", "query": "query",
	}
	// Images from scratch have no shell.
	if own := s.Name == "ingest" || s.Name == "query"; own && h.Test[0] != "CMD" {
		t.Errorf("asks %v", h.Test)
	}
	if program, _, _ := strings.Cut(h.Test[1], " "); program != asks[s.Name] {
		t.Errorf("asks with %q, want %q", program, asks[s.Name])
	}
	if h.Interval == nil || h.Timeout == nil || h.Retries == nil || h.StartPeriod == nil {
		t.Fatalf("leaves out a time: %+v", h)
	}
	// The services' own limit, after which they say what hangs.
	if limit := time.Duration(*h.Timeout); limit <= 3*time.Second {
		t.Errorf("has only %s", limit)
	}
	if worst := time.Duration(*h.Retries) * time.Duration(*h.Interval+*h.Timeout); worst > 30*time.Second {
		t.Errorf("a frozen one is found after %s", worst)
	}
}

// checkWaits wants services that start when the servers they need are healthy.
func checkWaits(t *testing.T, s types.ServiceConfig, project *types.Project) {
	t.Helper()
	for _, value := range s.Environment {
		for name := range project.Services {
			if value == nil || !strings.Contains(*value, "://"+name+":") {
				continue
			}
			if s.DependsOn[name].Condition != types.ServiceConditionHealthy {
				t.Errorf("needs %s and doesn't wait for it", name)
			}
		}
	}
	if s.StopGracePeriod == nil {
		t.Error("is killed 10 s after it was told to stop")
	}
}

// TestImagesTakeDigests sets each image to one with a digest.
func TestImagesTakeDigests(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	variables := map[string]string{
		"redis": "REDIS_IMAGE", "graph": "FALKORDB_IMAGE", "nats": "BROKER_IMAGE", "ingest": "APP_IMAGE", "query": "APP_IMAGE",
	}
	env := []string{"GO_IMAGE=pinned:1" + digest, "NATS_IMAGE=pinned:1" + digest}
	for _, v := range variables {
		env = append(env, v+"=pinned:1"+digest)
	}
	for name, s := range load(t, env, "graph").Services {
		if s.Image != "pinned:1"+digest {
			t.Errorf("%s runs %s whatever %s says", name, s.Image, variables[name])
		}
		if s.Build == nil {
			continue
		}
		for _, arg := range []string{"GO_IMAGE", "NATS_IMAGE"} {
			if v, ok := s.Build.Args[arg]; ok && *v != "pinned:1"+digest {
				t.Errorf("%s is built from %s", name, *v)
			}
		}
	}
}
