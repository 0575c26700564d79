package cli

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// helpWidth is the most columns that help takes.
const helpWidth = 100

// common is what every command understands besides its settings. These have no
// variable.
type common struct {
	Help    helpFlag    `short:"h" help:"Show this help."`
	Version versionFlag `help:"Show the version."`
}

type (
	helpFlag    bool
	versionFlag bool
)

func isCommon(v *kong.Value) bool {
	switch v.Target.Interface().(type) {
	case helpFlag, versionFlag:
		return true
	}
	return false
}

// BeforeReset is called by kong when the flag was given.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errShown
}

// BeforeReset is called by kong when the flag was given.
func (versionFlag) BeforeReset(ctx *kong.Context) error {
	info, _ := debug.ReadBuildInfo()
	fmt.Fprintln(ctx.Stdout, version(ctx.Model.Name, info))
	return errShown
}

// release is the version of a build that knows none from its repository, such as
// that of an image. The linker sets it: -X visualizer/internal/cli.release=v1.2.3.
var release string

// version returns name, version, commit and toolchain, as far as the build
// knows them.
func version(name string, info *debug.BuildInfo) string {
	if info == nil {
		return name + " (unknown build)"
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	parts := []string{name, info.Main.Version}
	switch {
	case release != "":
		parts[1] = release
	case info.Main.Version == "":
		parts[1] = "(devel)"
	}
	if commit := set["vcs.revision"]; commit != "" {
		if set["vcs.modified"] == "true" {
			commit += ", modified"
		}
		parts = append(parts, "("+commit+")")
	}
	return strings.Join(append(parts, info.GoVersion), " ")
}

// help prints the settings, then the subcommands.
func (g grammar) help(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	return listCommands(ctx.Stdout, g.name, g.commands)
}

// describe is the help of a flag, with its default and its variable.
func describe(v *kong.Value) string {
	if v.Flag == nil || isCommon(v) {
		return v.Help
	}
	var notes []string
	if v.HasDefault {
		notes = append(notes, "default "+v.Default)
	}
	name := variable(v.Name)
	notes = append(notes, name)
	if isSecret(v) {
		notes = append(notes, "or the secret itself in "+strings.TrimSuffix(name, fileSuffix))
	}
	if v.IsSlice() {
		notes = append(notes, "repeatable")
	}
	return fmt.Sprintf("%s (%s).", strings.TrimSuffix(v.Help, "."), strings.Join(notes, ", "))
}

// setPlaceHolder says in help what form a value has; kong would repeat the
// default or the flag's name.
func setPlaceHolder(flag *kong.Flag) {
	switch {
	case flag.PlaceHolder != "":
	case flag.Enum != "":
		flag.PlaceHolder = strings.Join(flag.EnumSlice(), "|")
	case isSecret(flag.Value):
		flag.PlaceHolder = "FILE"
	case flag.Target.Type() == reflect.TypeFor[time.Duration]():
		flag.PlaceHolder = "DURATION"
	case flag.Target.CanInt() || flag.Target.CanUint() || flag.Target.CanFloat():
		flag.PlaceHolder = "N"
	case !flag.IsBool():
		flag.PlaceHolder = "TEXT"
	}
}
