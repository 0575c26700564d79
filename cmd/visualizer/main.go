// Command visualizer runs everything on this machine: servers, ingest, query.
package main

import (
	"visualizer/internal/allinone"
	"visualizer/internal/cli"
)

func main() { cli.Main(allinone.Command()) }
