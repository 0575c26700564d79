package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// operations makes random valid operations that ask for a page: fields under
// names of their own and repeated, fragments in fragments, conditions, what is
// skipped.
type operations struct {
	*rand.Rand
	schema    *ast.Schema
	fragments []string            // their definitions
	named     map[string][]string // fragments by the type they can be spread in
	variables map[string]bool
}

// operation returns a document and its variables.
func (o *operations) operation() (string, map[string]any) {
	o.fragments, o.named, o.variables = nil, map[string][]string{}, map[string]bool{}
	connection := o.schema.Types["TweetConnection"]
	body := "tweets " + o.selection(connection, 5)
	for range o.IntN(3) {
		body += fmt.Sprintf(" %s tweets%s %s", o.pick([]string{"", "again:", "_x:"}), o.condition(), o.selection(connection, 4))
	}
	declared, values := "", map[string]any{}
	for name, value := range o.variables {
		declared += "$" + name + ": Boolean! "
		values[name] = value
	}
	if declared != "" {
		declared = "(" + declared + ")"
	}
	return "query" + declared + " {" + body + "}\n" + strings.Join(o.fragments, "\n"), values
}

func (o *operations) pick(from []string) string { return from[o.IntN(len(from))] }

// selection returns a selection of an object with fields down to a depth.
func (o *operations) selection(of *ast.Definition, depth int) string {
	var parts []string
	for range 1 + o.IntN(6) {
		parts = append(parts, o.part(of, depth))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func (o *operations) part(of *ast.Definition, depth int) string {
	switch n := o.IntN(20); {
	case n == 0:
		return o.pick([]string{"", "kind:"}) + "__typename" + o.condition()
	case n < 4 && depth > 0:
		on := o.pick(append(types(of), ""))
		inside := of
		if on != "" {
			inside, on = o.schema.Types[on], " on "+on
		}
		return "..." + on + o.condition() + o.selection(inside, depth-1)
	case n < 7 && depth > 0:
		return "..." + o.fragment(of, depth-1) + o.condition()
	default:
		return o.field(of, depth)
	}
}

// types are those a fragment in a selection of an object can be on.
func types(of *ast.Definition) []string {
	if of.Name == "Tweet" || of.Name == "Node" {
		return []string{"Tweet", "Node"}
	}
	return []string{of.Name}
}

// fragment returns the name of a fragment that can be spread, an old or a new
// one. A fragment has a name only once it is whole, so that none is in itself.
func (o *operations) fragment(of *ast.Definition, depth int) string {
	known := o.named[of.Name]
	if len(known) > 0 && o.IntN(2) == 0 {
		return o.pick(known)
	}
	on := o.pick(types(of))
	body := o.selection(o.schema.Types[on], depth)
	name := fmt.Sprintf("f%d", len(o.fragments))
	o.fragments = append(o.fragments, "fragment "+name+" on "+on+" "+body)
	for _, in := range types(of) {
		o.named[in] = append(o.named[in], name)
	}
	return name
}

func (o *operations) field(of *ast.Definition, depth int) string {
	fields := slices.DeleteFunc(slices.Clone(of.Fields), func(f *ast.FieldDefinition) bool {
		return strings.HasPrefix(f.Name, "__") || depth == 0 && o.schema.Types[f.Type.Name()].IsCompositeType()
	})
	if len(fields) == 0 {
		return "__typename"
	}
	f := fields[o.IntN(len(fields))]
	text := f.Name
	if o.IntN(3) == 0 { // one name never means two fields
		text = fmt.Sprintf("a%d_%s: %s", o.IntN(2), f.Name, f.Name)
	}
	text += o.condition()
	if inner := o.schema.Types[f.Type.Name()]; inner.IsCompositeType() {
		text += o.selection(inner, depth-1)
	}
	return text
}

// condition returns a directive now and then.
func (o *operations) condition() string {
	if o.IntN(4) > 0 {
		return ""
	}
	value := o.pick([]string{"true", "false", "$no", "$yes"})
	if name, ok := strings.CutPrefix(value, "$"); ok {
		o.variables[name] = name == "yes"
	}
	return o.pick([]string{" @include(if: ", " @skip(if: "}) + value + ") "
}
