package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// wantLong and wantInt are what a Long and an Int must be.
const (
	wantLong = "a whole number from -9223372036854775808 to 9223372036854775807, not in quotes"
	wantInt  = "a whole number from -2147483648 to 2147483647, not in quotes"
)

// MarshalLong writes a Long.
func MarshalLong(n int64) graphql.Marshaler { return graphql.MarshalInt64(n) }

// UnmarshalLong reads a Long: a literal, or a variable that was coerced.
func UnmarshalLong(v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case float64:
		return 0, fmt.Errorf("%s is not a Long: give %s", strconv.FormatFloat(v, 'g', -1, 64), wantLong)
	}
	return 0, fmt.Errorf("%s is not a Long: give %s", kind(v), wantLong)
}

// whole reads a JSON number without a fraction, which may be written with one
// or with an exponent: 1.0 and 1e3 are whole.
func whole(n json.Number) (int64, error) {
	if !strings.ContainsAny(string(n), ".eE") {
		return strconv.ParseInt(string(n), 10, 64)
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, errors.New("not whole, or not exact")
	}
	return int64(f), nil
}

// LongRule is the validation rule for literals of numbers that no int64 holds.
// Those of Int, Float and ID have the specification's own.
var LongRule = core.Rule{Name: "LongLiterals", RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, v *ast.Value) {
		if v.Kind != ast.IntValue || v.Definition == nil || v.Definition.Kind != ast.Scalar || v.Definition.BuiltIn {
			return
		}
		if _, err := strconv.ParseInt(v.Raw, 10, 64); err != nil {
			addError(core.Message("%s cannot represent the number, which is out of range: give %s", v.Definition.Name, wantLong), core.At(v.Position))
		}
	})
}}

// kind names a value of JSON without showing it.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "the number"
}
