package transport

import "testing"

// TestMediaTypes: the answer is of the type that Accept wants most.
func TestMediaTypes(t *testing.T) {
	const json, graphql = "application/json", "application/graphql-response+json"
	for accept, want := range map[string]string{
		"": json, "*/*": json, "application/*": json, json: json, graphql: graphql,
		"application/json;q=0.5, application/graphql-response+json":     graphql,
		"application/graphql-response+json;q=0.5, application/json":     json,
		"application/graphql-response+json, application/json":           graphql,
		"application/json, application/graphql-response+json":           json,
		"application/graphql-response+json;q=0.1, */*;q=0.9":            json,
		"application/json;q=0, */*":                                     graphql,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=1": json,
		"APPLICATION/JSON; charset=utf-8":                               json,
		"text/html":                                                     "",
		"application/json;q=0":                                          "",
	} {
		if got, ok := negotiate([]string{accept}); got != want || ok != (want != "") {
			t.Errorf("Accept %q: %q %v, want %q", accept, got, ok, want)
		}
	}
}
