package cli

import (
	"errors"
	"time"
)

// Sources says where tweets come from.
type Sources struct {
	Source []string `help:"Where tweets come from: sim (a built-in simulator), - (standard input), else a file, folder or glob. May be given several times; in the variable separated by commas." default:"sim" sep:"none" placeholder:"SOURCE"`
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
	Listen   string        `help:"Address for clients: /graphql, /graphiql, /schema.graphql." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Deadline time.Duration `help:"The longest a GraphQL operation may take." default:"2s"`
}

// Validate checks what kong can't.
func (e *Edge) Validate() error {
	if e.Deadline <= 0 {
		return errors.New("--deadline: not above 0: give a duration like 2s")
	}
	return nil
}

// Ops says where the service is watched. The default differs between the
// commands.
type Ops struct {
	OpsListen string `help:"Address for operators: /livez, /readyz, /metrics, /debug/pprof." default:"${ops}" placeholder:"HOST:PORT"`
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
