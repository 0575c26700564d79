package input

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// Coercion is the gqlgen extension that coerces variables, strictly, ahead of
// gqlgen's own lenient coercion.
type Coercion struct {
	valid  graphql.Cache[*ast.QueryDocument]
	schema *ast.Schema
}

// NewCoercion returns the extension. The cache holds documents that were parsed
// before.
func NewCoercion(valid graphql.Cache[*ast.QueryDocument]) *Coercion { return &Coercion{valid: valid} }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
} = (*Coercion)(nil)

// ExtensionName is the extension's name.
func (c *Coercion) ExtensionName() string { return "Coercion" }

// Validate is called once, with the schema that is served.
func (c *Coercion) Validate(es graphql.ExecutableSchema) error {
	c.schema = es.Schema()
	return nil
}

// MutateOperationParameters coerces the variables. What is wrong with the
// document is left to its validation.
func (c *Coercion) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	doc, known := c.valid.Get(ctx, params.Query)
	if !known {
		if len(params.Variables) == 0 && !strings.Contains(params.Query, "$") {
			return nil
		}
		var err error
		if doc, err = parser.ParseQuery(&ast.Source{Input: params.Query}); err != nil {
			return nil
		}
	}
	operation := doc.Operations.ForName(params.OperationName)
	if operation == nil {
		return nil
	}
	coerced, err := Variables(c.schema, operation, params.Variables)
	if err != nil {
		return err
	}
	params.Variables = coerced
	return nil
}
