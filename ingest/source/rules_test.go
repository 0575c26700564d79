package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ruleAPI answers one request about rules after the other, and notes them.
type ruleAPI struct {
	answers []answer
	got     []string // "METHOD query body"
}

func (a *ruleAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.got = append(a.got, strings.Join([]string{r.Method, r.URL.RawQuery, string(body)}, " "))
	if r.URL.Path != "/2/tweets/search/stream/rules" || r.Header.Get("Authorization") != "Bearer "+canary {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a.answers[min(len(a.got), len(a.answers))-1](w, r)
}

func (a *ruleAPI) rules(t *testing.T) *RuleSet {
	t.Helper()
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	token, err := NewToken(canary)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRuleSet(s.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func says(code int, body string) answer { return status(code, "application/json; charset=utf-8", body) }

const twoRules = `{"data":[{"id":"11","value":"cat has:images","tag":"cats"},{"id":12345678901234567,"value":"dog"}],"meta":{"sent":"2024-01-01T00:00:00.000Z","result_count":2}}`

func TestRules(t *testing.T) {
	cats, dogs := Rule{"11", "cat has:images", "cats"}, Rule{"12345678901234567", "dog", ""}
	for _, tt := range []struct {
		name    string
		answers []answer
		do      func(context.Context, *RuleSet) ([]Rule, error)
		got     []string
		want    []Rule
		err     string
	}{
		{"list", []answer{says(200, twoRules)}, listAll, []string{"GET  "}, []Rule{cats, dogs}, ""},
		{"list of none", []answer{says(200, `{"meta":{"sent":"2024-01-01T00:00:00.000Z","result_count":0}}`)}, listAll, []string{"GET  "}, nil, ""},
		{"list of two pages", []answer{says(200, `{"data":[{"id":"11","value":"cat has:images","tag":"cats"}],"meta":{"next_token":"n&1"}}`), says(200, `{"data":[{"id":"12345678901234567","value":"dog"}],"meta":{}}`)}, listAll,
			[]string{"GET  ", "GET pagination_token=n%261 "}, []Rule{cats, dogs}, ""},
		{"add", []answer{says(201, twoRules)}, add(false, cats, dogs),
			[]string{`POST  {"add":[{"value":"cat has:images","tag":"cats"},{"value":"dog"}]}`}, []Rule{cats, dogs}, ""},
		{"try to add", []answer{says(200, twoRules)}, add(true, cats, dogs),
			[]string{`POST dry_run=true {"add":[{"value":"cat has:images","tag":"cats"},{"value":"dog"}]}`}, []Rule{cats, dogs}, ""},
		{"add one of three", []answer{says(201, `{"data":[{"id":"11","value":"cat has:images","tag":"cats"}],"meta":{"summary":{"created":1,"not_created":2,"valid":1,"invalid":2}},"errors":[
			{"value":"dog","id":"5","title":"DuplicateRule","type":"https://api.x.com/2/problems/duplicate-rules"},
			{"value":"bird:","details":["Reference to invalid operator 'bird' (at position 1)"],"title":"UnprocessableEntity","type":"https://api.x.com/2/problems/invalid-rules"}]}`)},
			add(false, cats, dogs, Rule{Value: "bird:"}), nil, []Rule{cats},
			"add rule: \"dog\": DuplicateRule: rule 5\nadd rule: \"bird:\": UnprocessableEntity: Reference to invalid operator 'bird' (at position 1)"},
		{"add wrong ones alone", []answer{says(400, `{"errors":[{"value":"a","details":["no"],"title":"UnprocessableEntity"}],"title":"Invalid Request"}`)}, add(false, dogs), nil, nil,
			`add rule: "a": UnprocessableEntity: no`},
		{"add and hear nothing", []answer{says(201, `{}`)}, add(false, dogs), nil, nil, "add rules: 1 of 1 were not added, and the API does not say why"},
		{"remove by id and text", []answer{says(200, twoRules), says(200, `{"meta":{"summary":{"deleted":2,"not_deleted":0}}}`)}, remove(false, "dog", "11", "dog"),
			[]string{"GET  ", `POST  {"delete":{"ids":["12345678901234567","11"]}}`}, []Rule{dogs, cats}, ""},
		{"try to remove", []answer{says(200, twoRules), says(200, `{"meta":{"summary":{"deleted":1,"not_deleted":0}}}`)}, remove(true, "11"),
			[]string{"GET  ", `POST dry_run=true {"delete":{"ids":["11"]}}`}, []Rule{cats}, ""},
		{"remove what is not there", []answer{says(200, twoRules)}, remove(false, "11", "bird"), []string{"GET  "}, nil,
			`remove rule "bird": there is no such id or value: look with visualizer rules list`},
		{"remove one of two", []answer{says(200, twoRules), says(200, `{"meta":{"summary":{"deleted":1,"not_deleted":1}},"errors":[{"id":"11","title":"Not Found Error","detail":"gone"}]}`),
			says(200, `{"data":[{"id":"11","value":"cat has:images","tag":"cats"}]}`)}, remove(false, "11", "dog"), nil, []Rule{dogs},
			"remove rules: 1 of 2 were not removed\nremove rule: Not Found Error: gone: rule 11"},
		{"token refused", []answer{says(401, `{"title":"Unauthorized","detail":"`+canary+`"}`)}, listAll, nil, nil,
			"list rules: 401 Unauthorized: Unauthorized: [redacted]: the bearer token is not accepted: check --x-bearer-token-file and what the app may use"},
		{"too often", []answer{status(429, "application/json", `{"title":"Too Many Requests"}`, "x-rate-limit-reset", "1700000000")}, listAll, nil, nil,
			"list rules: 429 Too Many Requests: Too Many Requests: try again later, at 2023-11-14T22:13:20Z"},
		{"too many rules", []answer{says(422, `{"title":"RulesCapExceeded","detail":"too many","type":"https://api.x.com/2/problems/rule-cap"}`)}, add(false, dogs), nil, nil,
			"add rules: 422 Unprocessable Entity: rule-cap: too many"},
		{"web page", []answer{status(200, "text/html", "<html>")}, listAll, nil, nil, "list rules: the answer is no JSON: check --x-url"},
		{"server error with a web page", []answer{status(502, "text/html", "<html>")}, listAll, nil, nil, "list rules: 502 Bad Gateway"},
		{"another host", []answer{status(302, "", "", "Location", "http://other.invalid/")}, listAll, nil, nil, "list rules: 302 Found: it leads to another host"},
		{"cut gzip", []answer{gzipped(twoRules)}, listAll, nil, nil, "list rules: unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := &ruleAPI{answers: tt.answers}
			rules, err := tt.do(t.Context(), api.rules(t))
			same(t, "rules", rules, tt.want)
			if fmt.Sprint(err) != tt.err && (tt.err != "" || err != nil) {
				t.Errorf("error %v\nwant  %s", err, tt.err)
			}
			if tt.got != nil {
				same(t, "requests", api.got, tt.got)
			}
			if strings.Contains(fmt.Sprintf("%v %#v", err, err), canary) {
				t.Error("the token is shown")
			}
			if errors.Is(err, errRefused) != (tt.name == "token refused") {
				t.Errorf("%v is errRefused", err)
			}
		})
	}
}

func listAll(ctx context.Context, r *RuleSet) ([]Rule, error) { return r.All(ctx) }

func add(dryRun bool, rules ...Rule) func(context.Context, *RuleSet) ([]Rule, error) {
	return func(ctx context.Context, r *RuleSet) ([]Rule, error) { return r.Add(ctx, rules, dryRun) }
}

func remove(dryRun bool, names ...string) func(context.Context, *RuleSet) ([]Rule, error) {
	return func(ctx context.Context, r *RuleSet) ([]Rule, error) { return r.Remove(ctx, names, dryRun) }
}
