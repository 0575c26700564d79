// Command query serves GraphQL from the tweets that ingest stores.
package main

import (
	"visualizer/internal/cli"
)

type settings struct {
	cli.Edge
	cli.Redis
	cli.NATS
	cli.Ops
	cli.Log
}

func main() {
	cli.Main(cli.Command[settings]{
		Name:        "query",
		Description: "Serves GraphQL from the tweets that ingest stores.",
		Vars:        map[string]string{"ops": "127.0.0.1:9090"},
		Commands:    []cli.Subcommand{cli.Healthcheck()},
		Run:         run,
	})
}
