package cli

import (
	"fmt"
	"io"
	"maps"
	"strings"
	"text/tabwriter"
)

// Subcommand is a Command of any settings that runs when its name is the first
// argument of another.
type Subcommand interface {
	// Exec runs it on the arguments behind its name.
	Exec(p Process) int
	// under returns it as part of a program: it is called "program name" and
	// has the program's variables where it has none of its own.
	under(program string, vars map[string]string) Subcommand
	// about returns the last word of its name and its description.
	about() (word, description string)
}

func (c Command[C]) under(program string, vars map[string]string) Subcommand {
	c.Name = program + " " + c.Name
	merged := maps.Clone(vars)
	maps.Copy(merged, c.Vars)
	c.Vars = merged
	return c
}

func (c Command[C]) about() (word, description string) {
	return c.Name[strings.LastIndexByte(c.Name, ' ')+1:], c.Description
}

// subcommand returns the one that the first argument names, or nil.
func (c Command[C]) subcommand(args []string) Subcommand {
	for _, s := range c.Commands {
		if word, _ := s.about(); len(args) > 0 && args[0] == word {
			return s.under(c.Name, c.Vars)
		}
	}
	return nil
}

// listCommands is the part of help that names the subcommands.
func listCommands(w io.Writer, program string, commands []Subcommand) error {
	if len(commands) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nCommands:")
	table := tabwriter.NewWriter(w, 0, 0, 4, ' ', 0)
	for _, s := range commands {
		word, description := s.about()
		fmt.Fprintf(table, "  %s %s\t%s\n", program, word, description)
	}
	return table.Flush()
}

// meant returns what to say of an argument that is no setting: the subcommand
// that it is likely a slip of, or how settings look.
func meant(argument string, commands []Subcommand) string {
	best, least := "settings are given as --name=value", 3
	for _, s := range commands {
		word, _ := s.about()
		if d := distance(argument, word); d < least {
			best, least = fmt.Sprintf("did you mean %s?", word), d
		}
	}
	return best
}
