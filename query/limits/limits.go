package limits

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// CodeTooComplex is the code of every refusal.
const CodeTooComplex = "QUERY_TOO_COMPLEX"

// The limits of an operation. GraphiQL's own questions about the schema, and
// those of code generators, stay below them.
const (
	// MaxTokens bounds what is parsed of a document.
	MaxTokens = 4_000
	// maxDefinitions is how many operations and fragments a document has.
	maxDefinitions = 50
	// maxVariables is how many variables an operation has.
	maxVariables = 100
	// maxDirectives is how many directives an operation has, fragments included.
	maxDirectives = 50
	// maxSelections is how many fields and fragments an operation selects, each
	// fragment counted as often as it is spread.
	maxSelections = 1_000
	// maxRepeats is how often one field of an answer is selected: validation
	// compares all of these in pairs.
	maxRepeats = 50
	// maxDepth is how deep fields lie in each other.
	maxDepth = 10
	// maxIntrospectionDepth is the same within __schema and __type, where a
	// type such as [[T!]!]! takes a level for each sign.
	maxIntrospectionDepth = 16
	// maxRoots is how many root fields an operation has.
	maxRoots = 20
	// maxAliases is how many fields have another name in the answer.
	maxAliases = 20
	// MaxCost is how many values an operation may ask for, see cost.
	MaxCost = 10_000
	// maxIntrospectionCost is the same for questions about the schema, which
	// take no server but this one.
	maxIntrospectionCost = 60_000
	// MaxAnswer is the size of an answer in bytes.
	MaxAnswer = 8 << 20
	// maxErrors is how many errors an answer has.
	maxErrors = 50
)

// Limits is the gqlgen extension that holds all operations to the limits.
type Limits struct {
	valid graphql.Cache[*ast.QueryDocument]
	sizes map[string]int
}

// New returns the extension. A document that valid holds has been within the
// limits before.
func New(valid graphql.Cache[*ast.QueryDocument]) *Limits { return &Limits{valid: valid} }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
	graphql.FieldInterceptor
} = (*Limits)(nil)

// ExtensionName is the extension's name.
func (l *Limits) ExtensionName() string { return "Limits" }

// Validate is called once, with the schema that is served.
func (l *Limits) Validate(es graphql.ExecutableSchema) error {
	l.sizes = listSizes(es.Schema())
	return nil
}

// MutateOperationParameters refuses a document before it is validated.
func (l *Limits) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	if _, known := l.valid.Get(ctx, params.Query); known {
		return nil
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: params.Query}, MaxTokens)
	if err != nil {
		return parseError(err)
	}
	return checkDocument(doc)
}

func parseError(err error) *gqlerror.Error {
	if strings.Contains(err.Error(), "exceeded token limit") {
		return refusef(nil, "the document has more than %d tokens: ask for less at a time, and pass values as variables", MaxTokens)
	}
	shown, ok := err.(*gqlerror.Error)
	if !ok {
		shown = gqlerror.Wrap(err)
	}
	errcode.Set(shown, errcode.ParseFailed)
	return shown
}

// MutateOperationContext refuses an operation that is valid and costs too much.
func (l *Limits) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	return l.checkCost(operation)
}

// refusef is an error about a place in a document, which may be nil.
func refusef(at *ast.Position, format string, args ...any) *gqlerror.Error {
	err := gqlerror.ErrorPosf(at, format, args...)
	errcode.Set(err, CodeTooComplex)
	return err
}
