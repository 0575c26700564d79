// Command bench measures how good the program is, in pairs on this machine, and
// writes what came out into bench/RESULTS.md.
package main

import (
	"strings"

	"visualizer/internal/cli"
)

type settings struct {
	Bench []string `arg:"" optional:"" help:"What to measure: ${benches}. All unless given." placeholder:"NAME"`
	Quick bool     `help:"Measure with 10,000 and 100,000 tweets only, and less often."`
	Out   string   `help:"File whose section of this command is replaced." default:"bench/RESULTS.md" placeholder:"FILE"`
	cli.Log
}

func main() {
	cli.Main(cli.Command[settings]{
		Name:        "bench",
		Description: "Measures how good the program is, in pairs on this machine, with servers of its own.",
		Vars:        map[string]string{"benches": strings.Join(names(), ", ")},
		Run:         run,
	})
}
