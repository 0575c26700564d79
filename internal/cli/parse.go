package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// errShown says that help or the version was asked for and printed.
var errShown = errors.New("shown")

// Parse fills cfg, a pointer to a struct with kong's tags, from the arguments
// and the environment of p. vars is what ${name} in the tags stands for. Errors
// are one line and usage errors, but for mistakes in the tags.
func Parse(p Process, name, description string, cfg any, vars map[string]string) error {
	return grammar{name: name, description: description, vars: vars}.parse(p, cfg)
}

// grammar is what a command understands besides its settings.
type grammar struct {
	name, description string
	vars              kong.Vars
	commands          []Subcommand
}

func (g grammar) parse(p Process, cfg any) error {
	env, unknown := environment(p.Environ)
	s := &settings{env: env, used: map[string]string{}, commands: g.commands}
	k, err := s.parser(p, g, cfg)
	if err != nil {
		return fmt.Errorf("read the settings of %s: %w", g.name, err)
	}
	if _, err = k.Parse(p.Args); err == nil {
		err = unknown
	}
	if err == nil || errors.Is(err, errShown) {
		return err
	}
	return Usage(fmt.Errorf("%s (see %s --help)", s.explain(err), g.name))
}

// settings resolves flags that were not given from the environment.
type settings struct {
	env      map[string]string
	used     map[string]string // the variable that set a flag
	commands []Subcommand
}

func (s *settings) parser(p Process, g grammar, cfg any) (*kong.Kong, error) {
	k, err := kong.New(cfg,
		kong.Name(g.name), kong.Description(g.description), kong.Writers(p.Stdout, p.Stderr),
		kong.NoDefaultHelp(), kong.Embed(&common{}), g.vars, kong.Help(g.help),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: helpWidth}),
		kong.ValueFormatter(describe),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeDuration)),
		kong.NamedMapper(secretType, kong.MapperFunc(decodeSecret)),
		kong.Resolvers(kong.ResolverFunc(s.resolve)),
	)
	if err != nil {
		return nil, err
	}
	for _, flag := range k.Model.Flags {
		if !isCommon(flag.Value) && !known(variable(flag.Name)) {
			return nil, fmt.Errorf("--%s: %s is not in the list of variables", flag.Name, variable(flag.Name))
		}
		setPlaceHolder(flag)
	}
	return k, nil
}

// resolve gives kong the value of a flag's variable: a string, the elements of
// a list, or nil when it is unset.
func (s *settings) resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if isCommon(flag.Value) {
		return nil, nil
	}
	name := variable(flag.Name)
	if isSecret(flag.Value) {
		return s.resolveSecret(flag.Name, name)
	}
	value, ok := s.env[name]
	if !ok {
		return nil, nil
	}
	s.used[flag.Name] = name
	if flag.IsSlice() {
		return elements(value), nil
	}
	return value, nil
}

func elements(list string) []any {
	var out []any
	for _, each := range kong.SplitEscaped(list, ',') {
		if each = strings.TrimSpace(each); each != "" {
			out = append(out, each)
		}
	}
	return out
}

// explain returns the text of a parse error. It names the variable where kong
// names the flag that the variable set.
func (s *settings) explain(err error) string {
	text := oneLine(err)
	if flag, _, ok := strings.Cut(text, ": "); ok && endsEarly(text) {
		return flag + ": give it a value"
	}
	for flag, name := range s.used {
		if rest, ok := strings.CutPrefix(text, "--"+flag); ok && (rest == "" || strings.ContainsAny(rest[:1], ": ")) {
			return name + rest
		}
	}
	if argument, ok := strings.CutPrefix(text, "unexpected argument "); ok {
		text += ": " + meant(argument, s.commands)
	}
	return text
}

// endsEarly knows kong's words for a flag that lacks its value.
func endsEarly(text string) bool {
	return strings.HasSuffix(text, "(<EOL>)") || strings.Contains(text, ": missing value")
}

func decodeDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("duration", &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is no duration: give one like 500ms, 90s or 168h", text)
	}
	target.SetInt(int64(d))
	return nil
}
