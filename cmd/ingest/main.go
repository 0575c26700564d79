// Command ingest takes tweets from sources to Redis, and exits when its
// sources have ended and everything is stored.
package main

import (
	"visualizer/ingest"
	"visualizer/internal/cli"
)

type settings struct {
	cli.Sources
	ingest.XFlags
	cli.Redis
	cli.NATS
	cli.Ops
	cli.Traces
	cli.Log
}

func main() {
	cli.Main(cli.Command[settings]{
		Name:        "ingest",
		Description: "Takes tweets from sources to Redis.",
		Vars:        map[string]string{"ops": "127.0.0.1:9091"},
		Commands:    []cli.Subcommand{cli.Healthcheck()},
		Run:         run,
	})
}
