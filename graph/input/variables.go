package input

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Variables coerces the variables of an operation, which were decoded with
// numbers kept as json.Number, to the types that it declares. The operation
// need not be valid: what it declares with an unknown type is left as it is.
// Variables that are not declared are left out. An error has the path
// ["variable", name, …] and the code GRAPHQL_VALIDATION_FAILED.
func Variables(schema *ast.Schema, operation *ast.OperationDefinition, given map[string]any) (map[string]any, *gqlerror.Error) {
	c := coercion{schema}
	coerced := make(map[string]any, len(given))
	for _, declared := range operation.VariableDefinitions {
		value, ok := given[declared.Variable]
		path := ast.Path{ast.PathName("variable"), ast.PathName(declared.Variable)}
		if !ok {
			if declared.Type.NonNull && declared.DefaultValue == nil {
				return nil, wrong(path, "is missing: give %s", declared.Type)
			}
			continue
		}
		value, err := c.value(declared.Type, value, path)
		if err != nil {
			return nil, err
		}
		coerced[declared.Variable] = value
	}
	return coerced, nil
}

type coercion struct{ schema *ast.Schema }

func (c coercion) value(typ *ast.Type, v any, path ast.Path) (any, *gqlerror.Error) {
	if v == nil {
		if typ.NonNull {
			return nil, wrong(path, "is null: give %s", typ)
		}
		return nil, nil
	}
	if typ.Elem != nil {
		return c.list(typ, v, path)
	}
	def := c.schema.Types[typ.NamedType]
	switch {
	case def == nil:
		return v, nil
	case def.Kind == ast.InputObject:
		return c.object(def, v, path)
	case def.Kind == ast.Enum:
		return enum(def, v, path)
	case def.Kind == ast.Scalar:
		return scalar(def.Name, v, path)
	}
	return v, nil
}

// list coerces a list; one value stands for a list of it.
func (c coercion) list(typ *ast.Type, v any, path ast.Path) (any, *gqlerror.Error) {
	items, ok := v.([]any)
	if !ok {
		item, err := c.value(typ.Elem, v, path)
		return []any{item}, err
	}
	out := make([]any, len(items))
	for i, item := range items {
		var err *gqlerror.Error
		if out[i], err = c.value(typ.Elem, item, append(slices.Clip(path), ast.PathIndex(i))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c coercion) object(def *ast.Definition, v any, path ast.Path) (any, *gqlerror.Error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, wrong(path, "is %s: give an object, a %s", kind(v), def.Name)
	}
	if name := unknown(def, fields); name != "" {
		return nil, wrong(path, "has a field %s that %s has not: leave it out", shortened(name), def.Name)
	}
	out := make(map[string]any, len(fields))
	for _, field := range def.Fields {
		at := append(slices.Clip(path), ast.PathName(field.Name))
		value, given := fields[field.Name]
		if !given {
			if field.Type.NonNull && field.DefaultValue == nil {
				return nil, wrong(at, "is missing: give %s", field.Type)
			}
			continue
		}
		value, err := c.value(field.Type, value, at)
		if err != nil {
			return nil, err
		}
		out[field.Name] = value
	}
	return out, nil
}

// unknown returns the first name, in alphabetical order, that is no field.
func unknown(def *ast.Definition, fields map[string]any) string {
	first := ""
	for name := range fields {
		if def.Fields.ForName(name) == nil && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

func enum(def *ast.Definition, v any, path ast.Path) (any, *gqlerror.Error) {
	if s, ok := v.(string); ok && def.EnumValues.ForName(s) != nil {
		return s, nil
	}
	var names []string
	for _, value := range def.EnumValues {
		names = append(names, value.Name)
	}
	return nil, wrong(path, "is not a %s: give one of %s", def.Name, strings.Join(names, ", "))
}

// scalar coerces a value to a scalar. One of a type that has no rule here is
// left to the type.
func scalar(name string, v any, path ast.Path) (any, *gqlerror.Error) {
	number, isNumber := v.(json.Number)
	switch name {
	case "Int":
		if n, err := whole(number); isNumber && err == nil && int64(int32(n)) == n {
			return n, nil
		}
		return nil, wrong(path, "is not an Int but %s: give %s", kind(v), wantInt)
	case "Long":
		if n, err := whole(number); isNumber && err == nil {
			return n, nil
		}
		return nil, wrong(path, "is not a Long but %s: give %s", kind(v), wantLong)
	case "Float":
		if f, err := number.Float64(); isNumber && err == nil && !math.IsInf(f, 0) {
			return f, nil
		}
		return nil, wrong(path, "is not a Float but %s: give a number that 64 bits hold, not in quotes", kind(v))
	case "Boolean":
		if _, ok := v.(bool); !ok {
			return nil, wrong(path, "is not a Boolean but %s: give true or false", kind(v))
		}
	case "String":
		if _, ok := v.(string); !ok {
			return nil, wrong(path, "is not a String but %s: give it in quotes", kind(v))
		}
	case "ID":
		return id(v, path)
	}
	return v, nil
}

// id coerces to an ID, which may be a string or a whole number of any length.
func id(v any, path ast.Path) (any, *gqlerror.Error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return string(v), nil
		}
	}
	return nil, wrong(path, "is not an ID but %s: give it in quotes", kind(v))
}

func wrong(path ast.Path, format string, args ...any) *gqlerror.Error {
	err := gqlerror.ErrorPathf(path, "%s "+format, append([]any{place(path)}, args...)...)
	errcode.Set(err, errcode.ValidationFailed)
	return err
}

// place shows a path as a variable: $f.ids[0].
func place(path ast.Path) string {
	var b strings.Builder
	for i, part := range path[1:] {
		switch part := part.(type) {
		case ast.PathName:
			if i == 0 {
				b.WriteByte('$')
			} else {
				b.WriteByte('.')
			}
			b.WriteString(shortened(string(part)))
		case ast.PathIndex:
			b.WriteString("[" + strconv.Itoa(int(part)) + "]")
		}
	}
	return b.String()
}

// maxShown is how many bytes of a client's name are shown.
const maxShown = 40

func shortened(name string) string {
	if len(name) <= maxShown {
		return name
	}
	return fmt.Sprintf("%.*s…", maxShown, strings.ToValidUTF8(name[:maxShown], ""))
}
