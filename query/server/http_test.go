package server

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"visualizer/internal/access"
	"visualizer/internal/pinned"
	"visualizer/query/search"
	"visualizer/schema"
)

// TestAudits: the edge is GraphQL over HTTP by all audits of graphql-http.
func TestAudits(t *testing.T) {
	srv := newEdge(t).serve(t)
	if got := pinned.Node(t, "testdata/audit", "audit.js", srv.URL+PathGraphQL); got != "61 of 61" {
		t.Errorf("audits passed:\n%s", got)
	}
}

// call is a request and the answer that it gets.
type call struct {
	name         string
	method, path string
	header       string // "Name: value" lines
	body         string
	status       int
	says         string
}

func (e *edge) call(t *testing.T, c call) *http.Response {
	t.Helper()
	rec := e.do(c.method, c.path, c.header, c.body)
	if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.says) {
		t.Errorf("%s: %d %.200s, want %d that says %q", c.name, rec.Code, rec.Body, c.status, c.says)
	}
	return rec.Result()
}

const jsonBody = "Content-Type: application/json\n"

// TestRequests: what is no operation gets a short answer that says what to do
// and doesn't repeat what was sent.
func TestRequests(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7", Text: "kelp"})
	for _, c := range []call{
		{"not JSON", "POST", PathGraphQL, jsonBody, `{"query": "ECHOED`, 400, "not a JSON object"},
		{"two values", "POST", PathGraphQL, jsonBody, `{"query": "{__typename}"} {"query": "ECHOED"}`, 400, "not a JSON object"},
		{"nothing", "POST", PathGraphQL, jsonBody, ``, 400, "query is missing"},
		{"null", "POST", PathGraphQL, jsonBody, `null`, 400, "query is missing"},
		{"batch", "POST", PathGraphQL, jsonBody, ` [{"query": "{__typename}"}]`, 400, "one operation a request"},
		{"query of a number", "POST", PathGraphQL, jsonBody, `{"query": 5}`, 400, "query is not a string"},
		{"variables of a list", "POST", PathGraphQL, jsonBody, `{"query": "{__typename}", "variables": ["ECHOED"]}`, 400, "variables is not an object"},
		{"bad UTF-8", "POST", PathGraphQL, jsonBody, "{\"query\": \"{__typename} #\xff\"}", 400, "UTF-8"},
		{"form", "POST", PathGraphQL, "Content-Type: application/x-www-form-urlencoded", `query={__typename}`, 415, "application/json"},
		{"text", "POST", PathGraphQL, "Content-Type: text/plain", `{"query": "{__typename}"}`, 415, "application/json"},
		{"form with files", "POST", PathGraphQL, "Content-Type: multipart/form-data; boundary=x", `--x--`, 415, "application/json"},
		{"UTF-16", "POST", PathGraphQL, "Content-Type: application/json; charset=utf-16", `{"query": "{__typename}"}`, 415, "UTF-8"},
		{"no type", "POST", PathGraphQL, "", `{"query": "{__typename}"}`, 415, "application/json"},
		{"GET without a query", "GET", PathGraphQL, "", "", 400, "query is missing"},
		{"GET with bad variables", "GET", PathGraphQL + "?query={__typename}&variables=ECHOED", "", "", 400, "variables is not a JSON object"},
		{"PUT", "PUT", PathGraphQL, jsonBody, `{"query": "{__typename}"}`, 405, "GET or POST"},
		{"HTML alone", "GET", PathGraphQL + "?query={__typename}", "Accept: text/html", "", 406, "Accept"},
		{"JSON refused", "POST", PathGraphQL, jsonBody + "Accept: */*, application/json;q=0, application/graphql-response+json;q=0", `{"query": "{__typename}"}`, 406, "Accept"},
		{"defer", "POST", PathGraphQL, jsonBody, `{"query": "{... @defer {__typename}}"}`, 200, `Unknown directive \"@defer\"`},
		{"long name", "POST", PathGraphQL, jsonBody, `{"query": "{` + strings.Repeat("long", 5_000) + `ECHOED}"}`, 200, "Cannot query field"},
		{"long value", "POST", PathGraphQL, jsonBody, `{"query": "{tweets(filter: {since: \"` + strings.Repeat("ü", 5_000) + `ECHOED\"}) {totalCount}}"}`, 200, "BAD_USER_INPUT"},
		{"unknown operation", "POST", PathGraphQL, jsonBody, `{"query": "query A{__typename}", "operationName": "B"}`, 200, "GRAPHQL_VALIDATION_FAILED"},
		{"parse error", "POST", PathGraphQL, jsonBody + "Accept: application/graphql-response+json", `{"query": "{"}`, 400, "GRAPHQL_PARSE_FAILED"},
		{"executed with errors", "POST", PathGraphQL, jsonBody + "Accept: application/graphql-response+json", `{"query": "{tweets(first: -1) {totalCount}}"}`, 200, `"data":{"tweets":null}`},
	} {
		res := e.call(t, c)
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Errors []struct {
				Message    string
				Extensions struct{ Code, RequestID string }
			}
		}
		if err := json.Unmarshal(body, &r); err != nil || len(r.Errors) == 0 || r.Errors[0].Extensions.RequestID != res.Header.Get("X-Request-Id") || r.Errors[0].Extensions.Code == "" {
			t.Errorf("%s: %s, want an error with code and request id: %v", c.name, body, err)
		}
		if bytes.Contains(body, []byte("ECHOED")) || len(body) > 700 {
			t.Errorf("%s: %s repeats the request", c.name, body)
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q", c.name, got)
		}
	}
}

// TestWhoMayCall: other names and other origins are refused in every way in, and
// Redis doesn't notice.
func TestWhoMayCall(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7"})
	e.handler = New(Config{Store: search.New(e.redis), Deadline: 20e9, Access: access.Config{
		Origins: access.Origins{"https://dash.example.org"}, Hosts: access.Hosts{"example.com", "192.0.2.7"},
	}})
	get := PathGraphQL + "?query=" + url.QueryEscape(`{tweets{totalCount}}`)
	const body = `{"query": "{tweets{totalCount}}"}`
	before := e.commands(t)
	for _, c := range []call{
		{"foreign host", "GET", get, "Host: evil.example", "", 403, "--allowed-hosts"},
		{"foreign host of GraphiQL", "GET", PathGraphiQL, "Host: evil.example:8080", "", 403, "--allowed-hosts"},
		{"foreign address", "GET", get, "Host: 192.0.2.8", "", 403, "--allowed-hosts"},
		{"host behind a dot", "GET", get, "Host: example.com.evil.example", "", 403, "--allowed-hosts"},
		{"foreign origin", "POST", PathGraphQL, jsonBody + "Origin: https://evil.example", body, 403, "--allowed-origins"},
		{"foreign origin by GET", "GET", get, "Origin: https://evil.example", "", 403, "--allowed-origins"},
		{"hidden origin", "POST", PathGraphQL, jsonBody + "Origin: null", body, 403, "--allowed-origins"},
		{"another scheme of an allowed origin", "POST", PathGraphQL, jsonBody + "Origin: http://dash.example.org", body, 403, "--allowed-origins"},
		{"a name that begins alike", "POST", PathGraphQL, jsonBody + "Origin: https://dash.example.org.evil.example", body, 403, "--allowed-origins"},
		{"another port", "POST", PathGraphQL, jsonBody + "Origin: http://example.com:81", body, 403, "--allowed-origins"},
		{"cross-site without an origin", "POST", PathGraphQL, jsonBody + "Sec-Fetch-Site: cross-site", body, 403, "--allowed-origins"},
		{"foreign preflight", "OPTIONS", PathGraphQL, "Origin: https://evil.example\nAccess-Control-Request-Method: POST", "", 403, "--allowed-origins"},
	} {
		if res := e.call(t, c); res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v lets the page read", c.name, res.Header)
		}
	}
	if after := e.commands(t); after["FT.SEARCH"] != before["FT.SEARCH"] || after["FT.AGGREGATE"] != before["FT.AGGREGATE"] {
		t.Errorf("Redis was asked: %v, before %v", after, before)
	}
	for _, c := range []call{
		{"no origin", "POST", PathGraphQL, jsonBody, body, 200, `"totalCount":1`},
		{"same origin", "POST", PathGraphQL, jsonBody + "Origin: http://example.com\nSec-Fetch-Site: same-origin", body, 200, `"totalCount":1`},
		{"same origin behind TLS", "POST", PathGraphQL, jsonBody + "Origin: https://example.com", body, 200, `"totalCount":1`},
		{"localhost", "GET", get, "Host: LOCALHOST:8080", "", 200, `"totalCount":1`},
		{"loopback", "GET", get, "Host: [::1]:8080", "", 200, `"totalCount":1`},
		{"loopback address", "GET", get, "Host: 127.0.0.1", "", 200, `"totalCount":1`},
		{"allowed address", "GET", get, "Host: 192.0.2.7:80", "", 200, `"totalCount":1`},
	} {
		e.call(t, c)
	}
	for _, c := range []call{
		{"allowed origin", "POST", PathGraphQL, jsonBody + "Origin: https://dash.example.org", body, 200, `"totalCount":1`},
		{"allowed preflight", "OPTIONS", PathGraphQL, "Origin: https://dash.example.org\nAccess-Control-Request-Method: POST\nAccess-Control-Request-Headers: content-type", "", 204, ""},
	} {
		if res := e.call(t, c); res.Header.Get("Access-Control-Allow-Origin") != "https://dash.example.org" || res.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: headers %v", c.name, res.Header)
		}
	}
}

// TestGzip: a long answer is compressed for who accepts that, a short one isn't.
func TestGzip(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7", Text: strings.Repeat("kelp ", 1000)})
	ask := call{"gzip", "POST", PathGraphQL, jsonBody + "Accept-Encoding: gzip", `{"query": "{tweets{nodes{text}}}"}`, 200, ""}
	res := e.call(t, ask)
	zip, err := gzip.NewReader(res.Body)
	if err != nil || res.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(strings.Join(res.Header.Values("Vary"), ","), "Accept-Encoding") {
		t.Fatalf("headers %v: %v", res.Header, err)
	}
	if text, err := io.ReadAll(zip); err != nil || !strings.Contains(string(text), "kelp kelp") {
		t.Errorf("%s %v", text, err)
	}
	ask.header = jsonBody
	if res := e.call(t, ask); res.Header.Get("Content-Encoding") != "" {
		t.Errorf("nobody asked for %v", res.Header)
	}
	ask.header, ask.body = jsonBody+"Accept-Encoding: gzip", `{"query": "{tweets{totalCount}}"}`
	if res := e.call(t, ask); res.Header.Get("Content-Encoding") != "" {
		t.Errorf("a short answer has %v", res.Header)
	}
}

// TestClientRate: a client that asks too often is told how long to wait, and
// another is answered; who is behind a proxy is known by the proxy's word alone.
func TestClientRate(t *testing.T) {
	e := newEdge(t)
	var proxy access.Proxy
	if err := proxy.UnmarshalText([]byte("192.0.2.1")); err != nil { // httptest's peer
		t.Fatal(err)
	}
	cfg := Config{Store: search.New(e.redis), Deadline: 20e9, Access: testAccess}
	cfg.Access.ClientRate, cfg.Access.Proxies = 0.01, access.Proxies{proxy}
	e.handler = New(cfg)
	get := call{method: "GET", path: PathGraphQL + "?query={__typename}"}
	for _, tt := range []struct {
		forwarded string
		status    int
	}{
		{"198.51.100.1", 200}, {"198.51.100.1", 429}, {"198.51.100.2", 200}, {"203.0.113.9, 198.51.100.2", 429},
		{"2001:db8::1", 200}, {"2001:db8::2", 429}, {"2001:db8:0:1::1", 200},
	} {
		get.name, get.header, get.status = tt.forwarded, "X-Forwarded-For: "+tt.forwarded, tt.status
		res := e.call(t, get)
		if wait := res.Header.Get("Retry-After"); tt.status == 429 && wait != "100" {
			t.Errorf("%s: Retry-After %q, want 100", tt.forwarded, wait)
		}
	}
	cfg.Access.Proxies = nil
	e.handler = New(cfg)
	for _, status := range []int{200, 429} {
		get.header, get.status = "X-Forwarded-For: 198.51.100."+http.StatusText(status), status
		e.call(t, get)
	}
}
