package cli

import (
	"errors"
	"net"
	"net/url"
	"time"

	"visualizer/internal/access"
)

// Sources says where tweets come from.
type Sources struct {
	Source []string `help:"Where tweets come from: sim (a built-in simulator), x (X's sample stream), x:filtered (what matches the app's rules), - (standard input), else a file, folder or glob. May be given several times; in the variable separated by commas." default:"sim" sep:"none" placeholder:"SOURCE"`
	Rate   *float64 `help:"Tweets a second: 50 for sim, no limit (0) for files, unless given." placeholder:"N"`
}

// Validate checks what kong can't.
func (s *Sources) Validate() error {
	if s.Rate != nil && !(*s.Rate >= 0) {
		return errors.New("--rate: below 0: give tweets a second, or 0 for no limit")
	}
	return nil
}

// Edge says how clients are served.
type Edge struct {
	Listen    string        `help:"Address for clients: /graphql, /graphiql, /schema.graphql." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Deadline  time.Duration `help:"The longest a GraphQL operation may take." default:"2s"`
	ShowPlans bool          `name:"show-plans" help:"For development: answer a request with the header X-Visualizer-Plan with the searches that its pages took, in extensions.plan."`
	// AdminToken is the token itself.
	AdminToken string `name:"admin-token-file" type:"secret" help:"File with the token that mutations need. Without one, the visualizer command takes them from this machine alone, and query takes none." placeholder:"FILE"`

	AllowedOrigins []access.Origin `help:"Further origins whose pages may call, like https://dash.example.org." placeholder:"ORIGIN"`
	AllowedHosts   []access.Host   `help:"Further names of the service that a request may have as its Host; loopback and --listen are known." placeholder:"HOST"`
	TrustedProxies []access.Proxy  `help:"Addresses of proxies in front, whose X-Forwarded-For is believed." placeholder:"ADDRESS"`
	ClientRate     float64         `help:"Requests a second of each client; 0 is no limit." placeholder:"N"`
}

// Access says who may ask.
func (e *Edge) Access() access.Config {
	hosts := e.AllowedHosts
	if host, _, err := net.SplitHostPort(e.Listen); err == nil && host != "" {
		hosts = append(hosts, access.Host(host))
	}
	return access.Config{Origins: e.AllowedOrigins, Hosts: hosts, Proxies: e.TrustedProxies, ClientRate: e.ClientRate}
}

// Validate checks what kong can't.
func (e *Edge) Validate() error {
	if e.Deadline <= 0 {
		return errors.New("--deadline: not above 0: give a duration like 2s")
	}
	if !(e.ClientRate >= 0) {
		return errors.New("--client-rate: below 0: give requests a second, or 0 for no limit")
	}
	return nil
}

// Ops says where the service is watched. The default differs between the
// commands.
type Ops struct {
	OpsListen string `help:"Address for operators: /livez, /readyz, /metrics, /debug/pprof." default:"${ops}" placeholder:"HOST:PORT"`
}

// Traces says where spans go.
type Traces struct {
	OTLPEndpoint string  `name:"otlp-endpoint" help:"Collector of traces, by OTLP over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT and its kin are heeded too. Without one there are no traces." placeholder:"URL"`
	TraceRatio   float64 `help:"Share of the messages that are traced: 0 to 1." default:"0.01" placeholder:"RATIO"`
}

// Validate checks what kong can't.
func (t *Traces) Validate() error {
	if !(t.TraceRatio >= 0 && t.TraceRatio <= 1) {
		return errors.New("--trace-ratio: not within 0 and 1: give the share of messages to trace, like 0.01")
	}
	if t.OTLPEndpoint == "" {
		return nil
	}
	u, err := url.Parse(t.OTLPEndpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("--otlp-endpoint: it is no such URL: give http://host:4318")
	}
	return nil
}

// Redis says where tweets are stored.
type Redis struct {
	RedisURL string `name:"redis-url" help:"Redis 8 with its search and JSON modules: redis://host:port or unix:///path." placeholder:"URL"`
}

// NATS says where tweets are on the way.
type NATS struct {
	NATSURL string `name:"nats-url" help:"NATS with JetStream: nats://host:port." placeholder:"URL"`
}

// Required returns a usage error when a URL that has no default is not given.
func Required(flag, url, what string) error {
	if url != "" {
		return nil
	}
	return Usage(errors.New(flag + " is not set: give the URL of " + what + ", or run the visualizer command, which starts its own"))
}
