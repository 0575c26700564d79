package transport

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadMembers(t *testing.T) {
	for _, tt := range []struct {
		text      string
		query     string
		variables map[string]any
		wrong     string
	}{
		{text: `{"query":"a","variables":{"n":9007199254740993,"f":1.50,"l":[1,{"b":-2}],"s":"1","z":null}}`, query: "a", variables: map[string]any{
			"n": json.Number("9007199254740993"), "f": json.Number("1.50"), "l": []any{json.Number("1"), map[string]any{"b": json.Number("-2")}}, "s": "1", "z": nil}},
		{text: `{"query":"a","variables":null,"operationName":null,"extensions":null,"more":1}`, query: "a"},
		{text: `{"query":"\ud800"}`, query: "\ufffd"},
		{text: `{"query":"a","query":"b"}`, query: "b"},
		{text: `{"Query":"a"}`},
		{text: `null`},
		{text: `{"query":1}`, wrong: "query is not a string: send the document as one"},
		{text: `{"query":"a","operationName":1}`, wrong: "operationName is not a string: send one, or leave it out"},
		{text: `{"query":"a","variables":[1]}`, wrong: "variables is not an object: send one, or leave it out"},
		{text: `{"query":"a","extensions":""}`, wrong: "extensions is not an object: send one, or leave it out"},
		{text: `"a"`, wrong: "the body is not a JSON object: send one with the member query"},
		{text: `{"query":"a"} more`, wrong: "the body is not a JSON object: send one with the member query"},
		{text: `{"query":"a"`, wrong: "the body is not a JSON object: send one with the member query"},
	} {
		got, wrong := readMembers([]byte(tt.text))
		switch {
		case wrong != nil && wrong.message != tt.wrong:
			t.Errorf("%s: %s, want %q", tt.text, wrong.message, tt.wrong)
		case wrong == nil && tt.wrong != "":
			t.Errorf("%s is taken, want %s", tt.text, tt.wrong)
		case wrong == nil && (got.Query != tt.query || !cmp.Equal(got.Variables, tt.variables)):
			t.Errorf("%s: %q, %s", tt.text, got.Query, cmp.Diff(tt.variables, got.Variables))
		}
	}
}
