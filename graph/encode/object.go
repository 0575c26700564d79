package encode

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// write appends a T as JSON.
type write[T any] func(b []byte, v *T) []byte

// member is a field that is selected of a T.
type member[T any] struct {
	key   string // in quotes, with the colon; from the second on with the comma in front
	value write[T]
}

// object returns the writer of an object whose first type is its own and whose
// others are its interfaces. field returns the writer of a field's value; when it
// knows none, there is none of the object either.
func object[T any](e *encoder, selected ast.SelectionSet, field func(graphql.CollectedField) write[T], types ...string) write[T] {
	fields := graphql.CollectFields(e.operation, selected, types)
	members := make([]member[T], len(fields))
	for i, f := range fields {
		members[i] = member[T]{`,"` + f.Alias + `":`, field(f)}
		if i == 0 {
			members[i].key = members[i].key[1:]
		}
		if f.Name == "__typename" {
			members[i].value = literal[T](`"` + types[0] + `"`)
		}
		if members[i].value == nil {
			return nil
		}
	}
	return func(b []byte, v *T) []byte {
		if len(b) > e.most {
			return b // nobody will see it
		}
		b = append(b, '{')
		for i := range members {
			b = append(b, members[i].key...)
			b = members[i].value(b, v)
		}
		return append(b, '}')
	}
}

func literal[T any](text string) write[T] {
	return func(b []byte, _ *T) []byte { return append(b, text...) }
}

// one returns the writer of a part that may be missing.
func one[T, Part any](part write[Part], of func(*T) *Part) write[T] {
	if part == nil {
		return nil
	}
	return func(b []byte, v *T) []byte {
		if p := of(v); p != nil {
			return part(b, p)
		}
		return null(b)
	}
}

// many returns the writer of a list of parts.
func many[T, Part any](part write[Part], of func(*T) []Part) write[T] {
	if part == nil {
		return nil
	}
	return func(b []byte, v *T) []byte {
		b = append(b, '[')
		for i, parts := 0, of(v); i < len(parts); i++ {
			b = part(comma(b, i), &parts[i])
		}
		return append(b, ']')
	}
}
