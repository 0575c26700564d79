package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"visualizer/schema"
)

// TestLiterals: a literal of the wrong kind is told in words of GraphQL.
func TestLiterals(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7", Metrics: schema.Metrics{Likes: new(int64(5))}})
	for _, tt := range []struct{ arguments, code, path, says string }{
		{`filter: {minLikes: "x"}`, "BAD_USER_INPUT", "tweets filter minLikes", "a string is not a Long"},
		{`filter: {minLikes: "5"}`, "BAD_USER_INPUT", "tweets filter minLikes", "not in quotes"},
		{`filter: {minLikes: 1.5}`, "BAD_USER_INPUT", "tweets filter minLikes", "1.5 is not a Long"},
		{`filter: {minLikes: 1e3}`, "BAD_USER_INPUT", "tweets filter minLikes", "1000 is not a Long"},
		{`filter: {any: [{}, {minLikes: true}]}`, "BAD_USER_INPUT", "tweets filter any 1 minLikes", "a boolean is not a Long"},
		{`filter: {minLikes: A}`, "BAD_USER_INPUT", "tweets filter minLikes", "not a Long"},
		{`filter: {minLikes: [1]}`, "BAD_USER_INPUT", "tweets filter minLikes", "a list is not a Long"},
		{`filter: {minLikes: {a: 1}}`, "BAD_USER_INPUT", "tweets filter minLikes", "an object is not a Long"},
		{`filter: {since: 5}`, "BAD_USER_INPUT", "tweets filter since", "DateTime"},
		{`filter: {minLikes: 99999999999999999999}`, "GRAPHQL_VALIDATION_FAILED", "", "out of range"},
		{`first: 99999999999999999999`, "GRAPHQL_VALIDATION_FAILED", "", "32-bit"},
		{`first: "1"`, "GRAPHQL_VALIDATION_FAILED", "", "Int"},
		{`first: 9999999999`, "BAD_USER_INPUT", "tweets first", "0 to 100"},
		{`filter: {text: 5}`, "GRAPHQL_VALIDATION_FAILED", "", "String"},
		{`filter: {types: original}`, "GRAPHQL_VALIDATION_FAILED", "", "ORIGINAL"},
	} {
		check(t, tt.arguments, e.ask(t, `{tweets(`+tt.arguments+`) {totalCount}}`, nil), tt.code, tt.path, tt.says)
	}
	for _, fits := range []string{`minLikes: 5`, `not: {minLikes: 9223372036854775807}`, `not: {minLikes: 6}`, `minLikes: null`} {
		if r := e.ask(t, `{tweets(filter: {`+fits+`}) {totalCount}}`, nil); string(r.Data["tweets"]) != `{"totalCount":1}` {
			t.Errorf("%s: %s %+v", fits, r.Data, r.Errors)
		}
	}
}

// TestVariables: variables are as strict as literals, and the path leads to what
// is wrong; the second time as the first, when the document is known.
func TestVariables(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7", Text: "5 kelp", Metrics: schema.Metrics{Likes: new(int64(5))}, Location: schema.NewLocation(10, 20)})
	const query = `query($f: TweetFilter, $n: Int, $o: TweetOrder! = {}) {tweets(filter: $f, first: $n, orderBy: $o) {totalCount}}`
	for _, tt := range []struct{ variables, path, says string }{
		{`{"n": "1"}`, "variable n", "$n is not an Int but a string"},
		{`{"n": 1e30}`, "variable n", "-2147483648 to 2147483647"},
		{`{"n": 1.5}`, "variable n", "not an Int"},
		{`{"n": 2147483648}`, "variable n", "not an Int"},
		{`{"n": 1e999999999}`, "variable n", "not an Int"},
		{`{"n": true}`, "variable n", "a boolean"},
		{`{"f": {"minLikes": "5"}}`, "variable f minLikes", "$f.minLikes is not a Long but a string"},
		{`{"f": {"minLikes": 9223372036854775808}}`, "variable f minLikes", "9223372036854775807"},
		{`{"f": {"minLikes": 5.5}}`, "variable f minLikes", "whole number"},
		{`{"f": {"text": 5}}`, "variable f text", "$f.text is not a String"},
		{`{"f": {"ids": ["7", 1.5]}}`, "variable f ids 1", "$f.ids[1] is not an ID"},
		{`{"f": {"ids": ["7", null]}}`, "variable f ids 1", "is null"},
		{`{"f": {"near": {"latitude": "10", "longitude": 1, "radiusKm": 1}}}`, "variable f near latitude", "not a Float but a string"},
		{`{"f": {"near": {"latitude": 1e999, "longitude": 1, "radiusKm": 1}}}`, "variable f near latitude", "not a Float"},
		{`{"f": {"near": {"latitude": 10}}}`, "variable f near longitude", "is missing"},
		{`{"f": {"any": [{}, {"types": ["original"]}]}}`, "variable f any 1 types 0", "ORIGINAL, REPLY"},
		{`{"f": {"types": [0]}}`, "variable f types 0", "ORIGINAL, REPLY"},
		{`{"f": {"hasMedia": "true"}}`, "variable f hasMedia", "Boolean"},
		{`{"f": {"minLike": 5}}`, "variable f", "minLike"},
		{`{"f": {"` + strings.Repeat("x", 20_000) + `": 5}}`, "variable f", "…"},
		{`{"f": "x"}`, "variable f", "an object"},
		{`{"o": null}`, "variable o", "is null"},
	} {
		for range 2 {
			check(t, tt.variables, e.askJSON(t, query, tt.variables), "GRAPHQL_VALIDATION_FAILED", tt.path, tt.says)
		}
	}
	for _, fits := range []string{
		``, `{}`, `null`, `{"n": 1}`, `{"n": 1.0}`, `{"n": 1e1}`, `{"n": null}`, `{"f": {"minLikes": 5}}`, `{"f": {"minLikes": 5.0, "ids": 7}}`, `{"f": {"ids": ["7"]}}`, `{"f": {"text": "5"}}`,
		`{"f": {"near": {"latitude": 10, "longitude": 20.0, "radiusKm": 1e2}}}`, `{"f": {"types": "ORIGINAL", "any": {"hasLocation": true}}}`, `{"f": null, "unused": 1}`, `{"o": {"field": "LIKES"}}`,
		`{"f": {"not": {"minLikes": 9007199254740993}}}`,
	} {
		for range 2 {
			if r := e.askJSON(t, query, fits); string(r.Data["tweets"]) != `{"totalCount":1}` {
				t.Errorf("%s: %s %+v", fits, r.Data, r.Errors)
			}
		}
	}
}

func check(t *testing.T, what string, r reply, code, path, says string) {
	t.Helper()
	what = fmt.Sprintf("%.200s", what)
	if len(r.Errors) == 0 || r.Errors[0].Extensions.Code != code || !strings.Contains(r.Errors[0].Message, says) {
		t.Errorf("%s: errors %+v, want %s that says %q", what, r.Errors, code, says)
		return
	}
	if got := strings.TrimSpace(fmt.Sprintln(r.Errors[0].Path...)); got != path {
		t.Errorf("%s: path %q, want %q", what, got, path)
	}
	for _, e := range r.Errors {
		for _, word := range []string{"strconv", "int64", "float64", "json", "map[", "interface"} {
			if strings.Contains(e.Message, word) || len(e.Message) > 400 {
				t.Errorf("%s: message %q in words of Go, or too long", what, e.Message)
			}
		}
	}
}

// askJSON asks with variables as they stand in JSON; "" leaves them out.
func (e *edge) askJSON(t *testing.T, query, variables string) reply {
	t.Helper()
	body := map[string]any{"query": query}
	if variables != "" {
		body["variables"] = json.RawMessage(variables)
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(e.send("", "", "", string(b)).Body.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}
