package limits

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// checkDocument refuses a document by its shape alone, in time that the limits
// bound: each definition is walked through its fragments, and no further than
// the first limit.
func checkDocument(doc *ast.QueryDocument) *gqlerror.Error {
	if n := len(doc.Operations) + len(doc.Fragments); n > maxDefinitions {
		return refusef(nil, "the document has %d operations and fragments, more than %d: send only those that are used", n, maxDefinitions)
	}
	for _, op := range doc.Operations {
		if n := len(op.VariableDefinitions); n > maxVariables {
			return refusef(op.Position, "the operation has %d variables, more than %d: pass an input object", n, maxVariables)
		}
		w := walk{doc: doc, operation: true}
		if err := w.start(op.Directives, op.SelectionSet, maxDepth); err != nil {
			return err
		}
	}
	// Validation looks into fragments that no operation spreads, too. One may be
	// of a schema's type.
	for _, f := range doc.Fragments {
		w := walk{doc: doc}
		if err := w.start(f.Directives, f.SelectionSet, maxIntrospectionDepth); err != nil {
			return err
		}
	}
	return nil
}

// walk counts what one definition selects.
type walk struct {
	doc                             *ast.QueryDocument
	operation                       bool // not a fragment alone
	selections, directives, aliases int
	roots                           int
	spreading                       []string // fragments that the walk is in
}

// answerField is a field of the answer, with what is selected of it at all
// places together.
type answerField struct {
	selected int
	below    map[string]*answerField
}

// place is where the walk is.
type place struct {
	in              *answerField
	depth, maxDepth int
}

func (w *walk) start(directives ast.DirectiveList, selected ast.SelectionSet, depth int) *gqlerror.Error {
	if err := w.countDirectives(directives); err != nil {
		return err
	}
	return w.set(selected, place{in: &answerField{}, maxDepth: depth})
}

func (w *walk) set(selected ast.SelectionSet, at place) *gqlerror.Error {
	for _, s := range selected {
		w.selections++
		if w.selections > maxSelections {
			return refusef(s.GetPosition(), "more than %d fields and fragments are selected, a fragment counted each time it is spread: ask for less at a time", maxSelections)
		}
		if err := w.selection(s, at); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) selection(s ast.Selection, at place) *gqlerror.Error {
	switch s := s.(type) {
	case *ast.Field:
		if err := w.countDirectives(s.Directives); err != nil {
			return err
		}
		return w.field(s, at)
	case *ast.InlineFragment:
		if err := w.countDirectives(s.Directives); err != nil {
			return err
		}
		return w.set(s.SelectionSet, at)
	case *ast.FragmentSpread:
		if err := w.countDirectives(s.Directives); err != nil {
			return err
		}
		return w.spread(s, at)
	}
	return nil
}

func (w *walk) field(f *ast.Field, at place) *gqlerror.Error {
	at.depth++
	if f.Name == "__schema" || f.Name == "__type" {
		at.maxDepth = maxIntrospectionDepth
	}
	if at.depth > at.maxDepth {
		return refusef(f.Position, "fields nest more than %d deep: read what lies deeper with a second operation", at.maxDepth)
	}
	if at.depth == 1 && w.operation {
		if w.roots++; w.roots > maxRoots {
			return refusef(f.Position, "the operation has more than %d root fields: send several operations", maxRoots)
		}
	}
	if f.Alias != f.Name {
		if w.aliases++; w.aliases > maxAliases {
			return refusef(f.Position, "the operation has more than %d aliases: send several operations", maxAliases)
		}
	}
	at.in = at.in.child(f.Alias)
	if at.in.selected++; at.in.selected > maxRepeats {
		return refusef(f.Position, "one field is selected more than %d times: select it once", maxRepeats)
	}
	return w.set(f.SelectionSet, at)
}

// spread walks a fragment. One that is unknown, or that spreads itself, is left
// to validation, which tells so.
func (w *walk) spread(s *ast.FragmentSpread, at place) *gqlerror.Error {
	f := w.doc.Fragments.ForName(s.Name)
	if f == nil {
		return nil
	}
	for _, name := range w.spreading {
		if name == s.Name {
			return nil
		}
	}
	w.spreading = append(w.spreading, s.Name)
	defer func() { w.spreading = w.spreading[:len(w.spreading)-1] }()
	if err := w.countDirectives(f.Directives); err != nil {
		return err
	}
	return w.set(f.SelectionSet, at)
}

func (w *walk) countDirectives(list ast.DirectiveList) *gqlerror.Error {
	w.directives += len(list)
	if w.directives > maxDirectives {
		return refusef(list[0].Position, "the operation has more than %d directives: send several operations", maxDirectives)
	}
	return nil
}

func (a *answerField) child(name string) *answerField {
	c := a.below[name]
	if c == nil {
		if a.below == nil {
			a.below = map[string]*answerField{}
		}
		c = &answerField{}
		a.below[name] = c
	}
	return c
}
