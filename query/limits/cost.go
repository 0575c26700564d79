package limits

import (
	"encoding/json"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// defaultPage is how many items a list that is paged has when nothing is said.
const defaultPage = 10

// pages are the largest pages of fields. A field refuses more than that
// itself, so that here it costs nothing.
var pages = map[string]int{
	"Query.tweets":       100,
	"Query.topHashtags":  1_000,
	"Query.tweetFacets":  100,
	"Query.mentionGraph": 2_000,
	"User.mentions":      100,
	"User.mentionedBy":   100,
}

// listSizes returns how many items to count for lists that are not paged; for
// those of introspection it is the average of the schema.
func listSizes(schema *ast.Schema) map[string]int {
	var fields, args, inputs, values int
	for _, def := range schema.Types {
		if def.Kind == ast.InputObject {
			inputs += len(def.Fields)
			continue
		}
		fields += len(def.Fields)
		values += len(def.EnumValues)
		for _, f := range def.Fields {
			args += len(f.Arguments)
		}
	}
	average := func(n, of int) int { return (n + of - 1) / max(of, 1) }
	types := len(schema.Types)
	return map[string]int{
		// A tweet may repeat one, quote one and answer one.
		"Tweet.references":     3,
		"Query.tweetCounts":    1_500,
		"__Schema.types":       types,
		"__Schema.directives":  len(schema.Directives),
		"__Type.fields":        average(fields, types),
		"__Type.inputFields":   average(inputs, types),
		"__Type.enumValues":    average(values, types),
		"__Type.possibleTypes": 1,
		"__Type.interfaces":    1,
		"__Field.args":         average(args, fields),
		"__Directive.args":     2,
	}
}

// checkCost refuses an operation by the number of values that it can have in
// its answer.
func (l *Limits) checkCost(operation *graphql.OperationContext) *gqlerror.Error {
	c := cost{variables: operation.Variables, sizes: l.sizes}
	data, introspection := c.roots(operation.Operation.SelectionSet)
	switch at := operation.Operation.Position; {
	case data > MaxCost:
		return refusef(at, "the operation asks for up to %d values, more than %d: ask for fewer fields, for smaller pages, or for fewer lists at a time", data, MaxCost)
	case introspection > maxIntrospectionCost:
		return refusef(at, "the operation asks for up to %d values of the schema, more than %d: ask for less of it at a time", introspection, maxIntrospectionCost)
	}
	return nil
}

// cost sums up how many values an operation asks for: a field is one, and what
// is selected of a list counts once an item. The document's walk has bounded
// the time that this takes, and depth and list sizes the sum.
type cost struct {
	variables map[string]any
	sizes     map[string]int
}

// roots returns the cost of what is asked of the store and of the schema.
func (c *cost) roots(selected ast.SelectionSet) (data, introspection int) {
	for _, s := range selected {
		switch s := s.(type) {
		case *ast.Field:
			if strings.HasPrefix(s.Name, "__") {
				introspection += c.field(s, 0)
			} else {
				data += c.field(s, 0)
			}
		default:
			d, i := c.roots(fragment(s))
			data, introspection = data+d, introspection+i
		}
	}
	return data, introspection
}

// set returns the cost of what is selected of one object. In a connection, page
// is the size of its lists, else 0.
func (c *cost) set(selected ast.SelectionSet, page int) int {
	sum := 0
	for _, s := range selected {
		if f, ok := s.(*ast.Field); ok {
			sum += c.field(f, page)
		} else {
			sum += c.set(fragment(s), page)
		}
	}
	return sum
}

func (c *cost) field(f *ast.Field, page int) int {
	if f.Definition == nil || c.skipped(f.Directives) {
		return 0
	}
	own, paged := c.page(f)
	items := 1
	if f.Definition.Type.Elem != nil {
		switch {
		case paged:
			items, own = own, 0
		case page > 0:
			items = page
		default:
			items = max(1, c.sizes[name(f)])
		}
	}
	return 1 + items*c.set(f.SelectionSet, own)
}

// page returns how many items a field's arguments ask for.
func (c *cost) page(f *ast.Field) (n int, paged bool) {
	args := f.Definition.Arguments
	if args.ForName("first") == nil && args.ForName("last") == nil {
		return 0, false
	}
	n = defaultPage
	given := f.ArgumentMap(c.variables)
	for _, arg := range []string{"first", "last"} {
		if v, ok := number(given[arg]); ok {
			n = v
		}
	}
	if largest, known := pages[name(f)]; n < 0 || known && n > largest {
		n = 0
	}
	return min(n, MaxCost+1), true
}

// skipped reports whether a directive leaves a field out.
func (c *cost) skipped(list ast.DirectiveList) bool {
	for _, d := range list {
		on, ok := d.ArgumentMap(c.variables)["if"].(bool)
		if ok && (d.Name == "skip" && on || d.Name == "include" && !on) {
			return true
		}
	}
	return false
}

func name(f *ast.Field) string {
	if f.ObjectDefinition == nil {
		return f.Name
	}
	return f.ObjectDefinition.Name + "." + f.Name
}

// fragment returns what a fragment selects.
func fragment(s ast.Selection) ast.SelectionSet {
	switch s := s.(type) {
	case *ast.InlineFragment:
		return s.SelectionSet
	case *ast.FragmentSpread:
		if s.Definition != nil {
			return s.Definition.SelectionSet
		}
	}
	return nil
}

func number(v any) (int, bool) {
	switch v := v.(type) {
	case int64:
		return clamp(v), true
	case int:
		return clamp(int64(v)), true
	case json.Number:
		n, err := v.Int64()
		return clamp(n), err == nil
	}
	return 0, false
}

// clamp keeps sums far from overflowing.
func clamp(n int64) int { return int(max(-1, min(n, 1<<20))) }
