package server

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"visualizer/query/search"
	"visualizer/query/transport"
	"visualizer/schema"
)

// attack is a request that must be refused at once.
type attack struct {
	name   string
	method string // POST when empty
	query  string // of the URL
	header string // "Name: value" lines; of JSON when empty
	body   string
	status int
	code   string
	says   string // part of the message
}

// document is an attack by a document that is within the size of a body.
func document(name, query, says string) attack {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		panic(err)
	}
	return attack{name: name, body: string(body), status: http.StatusOK, code: "QUERY_TOO_COMPLEX", says: says}
}

// bomb is a chain of n fragments of which each spreads the next width times.
func bomb(n, width int) string {
	var b strings.Builder
	b.WriteString(`{tweet(id:"1"){...F0}}`)
	for i := range n {
		fmt.Fprintf(&b, "fragment F%d on Tweet{id references{", i)
		for j := range width {
			if i == n-1 {
				fmt.Fprintf(&b, "a%d:tweet{id}", j)
			} else {
				fmt.Fprintf(&b, "a%d:tweet{...F%d}", j, i+1)
			}
		}
		b.WriteString("}}")
	}
	return b.String()
}

// flat is a chain of fragments at one depth that doubles with each.
func flat(n int) string {
	b := strings.Builder{}
	b.WriteString(`{tweet(id:"1"){...F0}}`)
	for i := range n - 1 {
		fmt.Fprintf(&b, "fragment F%d on Tweet{...F%d ...F%d}", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "fragment F%d on Tweet{id text rawText createdAt createdAtDerived lang source conversationId hashtags cashtags possiblySensitive supersededBy observedAt repaired truncated editHistoryIds author{id username name description} place{id fullName countryCode bbox}}", n-1)
	return b.String()
}

// numbered repeats a format with the numbers up to n.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// nested lies fields of a reference in each other, depth levels in all.
func nested(depth int) string {
	query := `id`
	for i := range depth - 2 {
		query = []string{"tweet", "references"}[i%2] + `{` + query + `}`
	}
	return `{tweet(id:"1"){` + query + `}}`
}

func attacks() []attack {
	heavy := `tweets(filter:{not:{text:\"a\"}}){totalCount}`
	return []attack{
		document("fragments that quadruple", bomb(9, 4), "deep"),
		document("fragments that double, 40", flat(40), "1000 fields"),
		document("fragments nobody spreads", strings.Replace(flat(40), "...F0", "id", 1), "1000 fields"),
		document("one field 2,000 times", `{tweets{nodes{`+strings.Repeat("id ", 2_000)+`}}}`, "more than 50 times"),
		document("one root 900 times", `{`+strings.Repeat(`t:tweet(id:"1"){id}`, 200)+`}`, "20 root fields"),
		document("roots in fragments", `{...A ...A} fragment A on Query{`+numbered(11, `a%d:tweet(id:"1"){id}`)+`}`, "20 root fields"),
		document("2,000 t{id}", `{`+strings.Repeat(`t{id}`, 2_000)+`}`, "4000 tokens"),
		document("300 aliases", `{tweets{nodes{`+numbered(300, " a%d:text")+`}}}`, "20 aliases"),
		document("900 aliases", `{tweets{nodes{`+numbered(900, " a%d:text")+`}}}`, "20 aliases"),
		document("fields nobody selected", `query A{tweet(id:"1"){id}} query B{tweets{nodes{`+strings.Repeat("id ", 900)+`}}}`, "50 times"),
		document("many operations", numbered(60, `query Q%d{__typename} `), "50"),
		document("depth 11", nested(11), "10 deep"),
		document("200 directives", `{tweets{totalCount `+strings.Repeat("@skip(if:false)", 200)+`}}`, "50 directives"),
		document("10,000 directives", `{tweets{totalCount `+strings.Repeat("@a ", 10_000)+`}}`, "4000 tokens"),
		document("tokens", `{tweets(filter:{ids:[`+strings.Repeat(`"1"`, 4_000)+`]}){totalCount}}`, "4000 tokens"),
		document("variables", `query(`+numbered(200, `$v%d:Int `)+`){__typename}`, "100"),
		document("large pages", `{tweets(first:100){nodes{...T references{tweet{...T references{tweet{...T}}}}}}} fragment T on Tweet{id text author{id username} metrics{likes retweets}}`, "more than 10000"),
		document("many pages", `{`+numbered(20, `a%d:tweets(first:100){nodes{id text createdAt author{id username}}}`)+`}`, "more than 10000"),
		document("a page by variable", `query($n:Int=100){tweets(first:$n){nodes{references{tweet{references{tweet{references{tweet{id text}}}}}}}}}`, "more than 10000"),
		document("introspection 4 times", introspection("a", "b", "c", "d"), "of the schema"),
		{name: "lists of the schema in themselves", body: `{"query":"{__schema{types{fields{type{fields{type{fields{name}}}}}}}}"}`, status: 200, code: "GRAPHQL_VALIDATION_FAILED", says: "introspection depth"},
		{name: "200 heavy filters", body: `{"query":"{` + strings.ReplaceAll(numbered(200, `a%d:HEAVY `), "HEAVY", heavy) + `}"}`, status: 200, code: "QUERY_TOO_COMPLEX", says: "root fields"},
		{name: "8 MB", body: `{"query":"` + strings.Repeat(" ", 8<<20) + `"}`, status: 413, code: "QUERY_TOO_COMPLEX", says: "32768 bytes"},
		{name: "5 MB of junk", body: strings.Repeat("\x00\xff", 5<<19), status: 413, code: "QUERY_TOO_COMPLEX", says: "32768 bytes"},
		{name: "20,000 directives", body: `{"query":"{tweets{totalCount ` + strings.Repeat("@a", 20_000) + `}}"}`, status: 413, code: "QUERY_TOO_COMPLEX", says: "32768 bytes"},
		{name: "array batch", body: `[` + strings.Repeat(`{"query":"{tweets{totalCount}}"},`, 900) + `{}]`, status: 400, code: "BAD_USER_INPUT", says: "one operation a request"},
		{name: "form", header: "Content-Type: application/x-www-form-urlencoded", body: "query={tweets{totalCount}}", status: 415, code: "BAD_USER_INPUT", says: "application/json"},
		{name: "text", header: "Content-Type: text/plain", body: `{"query":"{tweets{totalCount}}"}`, status: 415, code: "BAD_USER_INPUT", says: "application/json"},
		{name: "form with files", header: "Content-Type: multipart/form-data; boundary=x", body: "--x--", status: 415, code: "BAD_USER_INPUT", says: "application/json"},
		{name: "compressed", header: "Content-Type: application/json\nContent-Encoding: gzip", body: "\x1f\x8b", status: 415, code: "BAD_USER_INPUT", says: "Content-Encoding"},
		{name: "deep JSON", body: strings.Repeat(`{"variables":`, 2_500), status: 400, code: "BAD_USER_INPUT", says: "JSON"},
		{name: "mutation by GET", method: "GET", query: "query=" + url.QueryEscape(`mutation{stopStream{state}}`), status: 405, code: "BAD_USER_INPUT", says: "POST"},
		{name: "foreign origin", header: "Content-Type: application/json\nOrigin: https://evil.example", body: `{"query":"{tweets{totalCount}}"}`, status: 403, code: "UNAUTHENTICATED", says: "--allowed-origins"},
		{name: "hidden origin", header: "Content-Type: application/json\nOrigin: null", body: `{"query":"{tweets{totalCount}}"}`, status: 403, code: "UNAUTHENTICATED", says: "--allowed-origins"},
		{name: "foreign host", header: "Content-Type: application/json\nHost: evil.example", body: `{"query":"{tweets{totalCount}}"}`, status: 403, code: "UNAUTHENTICATED", says: "--allowed-hosts"},
		{name: "long URL", method: "GET", query: "query=" + strings.Repeat("%20", 40_000), status: 414, code: "QUERY_TOO_COMPLEX", says: "32768 bytes"},
		{name: "bomb by GET", method: "GET", query: "query=" + url.QueryEscape(flat(40)), status: 200, code: "QUERY_TOO_COMPLEX", says: "1000 fields"},
	}
}

// refusedWithin is how long a refusal may take, and how much of the processor.
const refusedWithin = 50 * time.Millisecond

// TestAttacks: what asks for too much is refused at once, with the limit and
// what to do, and Redis doesn't notice.
func TestAttacks(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "1", Text: "kelp"})
	before := e.commands(t)
	for _, a := range attacks() {
		var rec *httptest.ResponseRecorder
		took, cpu := time.Hour, time.Hour // of the best of some: others use this machine too
		for range 5 {
			start, used := time.Now(), processorTime(t)
			rec = e.send(a.method, a.query, a.header, a.body)
			took, cpu = min(took, time.Since(start)), min(cpu, processorTime(t)-used)
		}
		if took > refusedWithin || cpu > refusedWithin {
			t.Errorf("%s: refused in %v by %v of the processor, want %v", a.name, took, cpu, refusedWithin)
		}
		if rec.Code != a.status || rec.Body.Len() > 1_000 {
			t.Errorf("%s: status %d with %d bytes, want %d: %.300s", a.name, rec.Code, rec.Body.Len(), a.status, rec.Body)
		}
		var r reply
		if err := json.Unmarshal(rec.Body.Bytes(), &r); err != nil {
			t.Errorf("%s: %.300s: %v", a.name, rec.Body, err)
			continue
		}
		if len(r.Errors) != 1 || r.Errors[0].Extensions.Code != a.code || !strings.Contains(r.Errors[0].Message, a.says) {
			t.Errorf("%s: errors %+v, want one %s that says %q", a.name, r.Errors, a.code, a.says)
		}
	}
	if diff := cmp.Diff(before, e.commands(t)); diff != "" {
		t.Errorf("Redis saw commands (-before +after):\n%s", diff)
	}
}

// processorTime is what this process has taken so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (e *edge) send(method, query, header, body string) *httptest.ResponseRecorder {
	if method == "" {
		method = http.MethodPost
	}
	if header == "" && body != "" {
		header = jsonBody
	}
	return e.do(method, PathGraphQL+"?"+query, header, body)
}

// do sends a request with a header of "Name: value" lines.
func (e *edge) do(method, path, header, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == "Host" {
			req.Host = value
		} else if name != "" {
			req.Header.Add(name, value)
		}
	}
	rec := httptest.NewRecorder()
	e.handler.ServeHTTP(rec, req)
	return rec
}

// commands returns how often Redis was asked for data.
func (e *edge) commands(t *testing.T) map[string]string {
	t.Helper()
	info, err := e.redis.Do(t.Context(), e.redis.B().Info().Section("commandstats").Build()).ToString()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]string{}
	for line := range strings.Lines(info) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		if n, _, ok := strings.Cut(rest, ","); ok && name != "info" {
			counts[name] = n
		}
	}
	if counts["json.set"] == "" {
		t.Fatalf("no counts in %s", info)
	}
	return counts
}

// TestWithinLimits: what people and tools ask is no attack.
func TestWithinLimits(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "1", Text: "kelp"})
	all := `id text rawText createdAt createdAtDerived lang source conversationId
		author{id username name description followersCount followingCount tweetCount verified location createdAt profileImageUrl observedAt}
		hashtags cashtags mentions{username id} urls{url expandedUrl title} media{type url altText}
		metrics{likes retweets replies quotes bookmarks impressions} location{latitude longitude}
		place{id fullName countryCode bbox} possiblySensitive withheld{countryCodes scope} matchingRules{id tag}
		editHistoryIds supersededBy observedAt repaired truncated`
	for name, query := range map[string]string{
		"introspection":      introspection(`__schema`),
		"largest page":       `{tweets(first:100){totalCount nodes{` + all + `} pageInfo{hasNextPage endCursor}}}`,
		"with references":    `{tweets(first:25){edges{cursor node{` + all + ` references{type id tweet{` + all + `}}}}}}`,
		"depth 10":           nested(10),
		"20 roots":           `{` + numbered(20, `a%d:tweets{totalCount} `) + `}`,
		"one field 50 times": `{tweets{nodes{` + strings.Repeat("id ", 50) + `}}}`,
		"a skipped giant":    `{a:tweets{totalCount} b:tweets(first:100) @skip(if:true){nodes{references{tweet{references{tweet{references{tweet{` + all + `}}}}}}}}}`,
	} {
		if r := e.ask(t, query, nil); len(r.Errors) > 0 || len(r.Data) == 0 {
			t.Errorf("%s: %+v", name, r.Errors)
		}
	}
	if r := e.ask(t, `{tweets(first: 1000000) {nodes {`+all+`}}}`, nil); len(r.Errors) != 1 || r.Errors[0].Extensions.Code != "BAD_USER_INPUT" {
		t.Errorf("first: 1000000: %+v, want the field's own error", r.Errors)
	}
}

// introspection asks for the whole schema as GraphiQL does, types of nine signs
// included, under each of the names.
func introspection(names ...string) string {
	ref := `kind name`
	for range 9 {
		ref = `kind name ofType{` + ref + `}`
	}
	return `query Introspection{` + strings.Join(names, ":__schema{...Schema} ") + `:__schema{...Schema}}
	fragment Schema on __Schema{description queryType{name kind} mutationType{name kind} subscriptionType{name kind} types{...Type}
		directives{name description isRepeatable locations args(includeDeprecated:true){...Input}}}
	fragment Type on __Type{kind name description specifiedByURL
		fields(includeDeprecated:true){name description args(includeDeprecated:true){...Input} type{...Ref} isDeprecated deprecationReason}
		inputFields(includeDeprecated:true){...Input} interfaces{...Ref} enumValues(includeDeprecated:true){name description isDeprecated deprecationReason} possibleTypes{...Ref}}
	fragment Input on __InputValue{name description type{...Ref} defaultValue isDeprecated deprecationReason}
	fragment Ref on __Type{` + ref + `}`
}

// TestLargeAnswer: an answer has a largest size, whatever the texts are.
func TestLargeAnswer(t *testing.T) {
	var tweets []schema.Tweet
	for i := range 100 {
		tweets = append(tweets, schema.Tweet{ID: fmt.Sprint(1 + i), Text: strings.Repeat("kelp ", 20_000)})
	}
	e := newEdge(t, tweets...)
	rec := e.send("", "", "", `{"query":"{tweets(first:100){nodes{text}}}"}`)
	if rec.Body.Len() > 100_000 || !strings.Contains(rec.Body.String(), "QUERY_TOO_COMPLEX") || !strings.Contains(rec.Body.String(), "8 MiB") {
		t.Errorf("%d bytes: %.300s", rec.Body.Len(), rec.Body)
	}
	if r := e.ask(t, `{tweets(first:50){nodes{text}}}`, nil); len(r.Errors) > 0 {
		t.Errorf("half of it: %+v", r.Errors)
	}
}

// TestDeadlineOfFields: the deadline ends what asks no server, too.
func TestDeadlineOfFields(t *testing.T) {
	e := newEdge(t)
	e.handler = New(Config{Store: search.New(e.redis), Deadline: 1, Access: testAccess, Log: slog.New(slog.DiscardHandler)})
	r := e.ask(t, introspection(`__schema`), nil)
	if len(r.Errors) == 0 || len(r.Errors) > 50 || r.Errors[0].Extensions.Code != "TIMEOUT" {
		t.Errorf("errors %+v, want up to 50 TIMEOUT", r.Errors)
	}
}

// TestConcurrency: one request too many is refused and told when to come again;
// the others are answered.
func TestConcurrency(t *testing.T) {
	release, inside := make(chan struct{}), make(chan struct{})
	h := limitConcurrency(transport.NewSlots(1), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		inside <- struct{}{}
		<-release
	}))
	done := make(chan int)
	ask := func() int {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
		if rec.Code == http.StatusServiceUnavailable && rec.Header().Get("Retry-After") != "1" {
			t.Errorf("headers %v, want Retry-After", rec.Header())
		}
		return rec.Code
	}
	go func() { done <- ask() }()
	<-inside
	if got := ask(); got != http.StatusServiceUnavailable {
		t.Errorf("second request: %d, want 503", got)
	}
	close(release)
	if got := <-done; got != http.StatusOK {
		t.Errorf("first request: %d, want 200", got)
	}
	go func() { done <- ask() }()
	<-inside
	<-done
	slots := transport.NewSlots(1)
	h = limitConcurrency(slots, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("kelp")) }))
	h.ServeHTTP(&slowReader{t: t, slots: slots}, httptest.NewRequest("GET", "/", nil))
}

// slowReader is a client that takes its answer while it looks at the slots.
type slowReader struct {
	httptest.ResponseRecorder
	t     *testing.T
	slots transport.Slots
}

func (s *slowReader) Write(p []byte) (int, error) {
	if len(s.slots) > 0 {
		s.t.Error("a slot is held while the client takes its answer")
	}
	return len(p), nil
}
