package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/rueidis"

	"visualizer/internal/access"
	"visualizer/internal/index"
	"visualizer/internal/stack/stacktest"
	"visualizer/query/search"
	"visualizer/schema"
)

// testAccess allows the host that httptest asks.
var testAccess = access.Config{Hosts: access.Hosts{"example.com"}}

// edge is the handler over a Redis that holds tweets.
type edge struct {
	handler http.Handler
	store   *search.Store
	redis   rueidis.Client
}

func newEdge(t testing.TB, tweets ...schema.Tweet) *edge {
	t.Helper()
	client := stacktest.Redis(t, stacktest.Start(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log := slog.New(slog.DiscardHandler)
	if _, err := index.Ensure(ctx, client, log); err != nil {
		t.Fatal(err)
	}
	if err := index.Await(ctx, client, log); err != nil {
		t.Fatal(err)
	}
	for _, tw := range tweets {
		doc := schema.NewDocument(tw, schema.Ranks{})
		doc.Own = true
		text, err := schema.Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Do(ctx, client.B().JsonSet().Key(doc.Key()).Path("$").Value(string(text)).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	store := search.New(client)
	return &edge{handler: New(Config{Store: store, Deadline: 20 * time.Second, Access: testAccess, Log: log}), store: store, redis: client}
}

// reply is a GraphQL response with one field.
type reply struct {
	Data   map[string]json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Extensions struct{ Code string }
	}
}

func (e *edge) ask(t *testing.T, query string, variables map[string]any) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodPost, PathGraphQL, bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	e.handler.ServeHTTP(rec, req)
	var r reply
	if err := json.Unmarshal(rec.Body.Bytes(), &r); err != nil {
		t.Fatalf("%s: %v", rec.Body, err)
	}
	return r
}

// TestBadInput: what has no meaning fails its field with a path to the value,
// and no other field.
func TestBadInput(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7", Text: "kelp"})
	for _, tt := range []struct{ arguments, path string }{
		{`first: -1`, "a first"},
		{`first: 1, last: 1`, "a last"},
		{`offset: 1, last: 1`, "a offset"},
		{`after: "garbage"`, "a after"},
		{`filter: {minLikes: -1}`, "a filter minLikes"},
		{`filter: {text: "!!!"}`, "a filter text"},
		{`filter: {any: [{}, {not: {near: {latitude: 0, longitude: 0, radiusKm: 0}}}]}`, "a filter any 1 not near radiusKm"},
		{`filter: {within: {south: 2, west: 0, north: 1, east: 0}}`, "a filter within south"},
	} {
		r := e.ask(t, `{a: tweets(`+tt.arguments+`) {totalCount} b: tweets {totalCount}}`, nil)
		if len(r.Errors) != 1 || r.Errors[0].Extensions.Code != "BAD_USER_INPUT" || strings.Trim(fmt.Sprint(r.Errors[0].Path...), " ") == "" {
			t.Errorf("%s: errors %+v, want one BAD_USER_INPUT", tt.arguments, r.Errors)
			continue
		}
		if got := strings.TrimSpace(fmt.Sprintln(r.Errors[0].Path...)); got != tt.path {
			t.Errorf("%s: path %s, want %s", tt.arguments, got, tt.path)
		}
		if string(r.Data["a"]) != "null" || string(r.Data["b"]) != `{"totalCount":1}` {
			t.Errorf("%s: data %s", tt.arguments, r.Data)
		}
	}
}

// TestEveryArgument asks with each part of the filter and each order through
// GraphQL: a part that the schema has and nobody passes on would find all.
func TestEveryArgument(t *testing.T) {
	at := schema.Time(1_678_785_000_000)
	tw := schema.Tweet{
		ID: "1635573202396643335", Text: "kelp forest", CreatedAt: &at, Lang: "en", Source: "web", ConversationID: "5",
		Author: &schema.User{ID: "9", Username: "Mira"}, Hashtags: []string{"Kelp"}, Mentions: []schema.Mention{{Username: "Bob"}},
		URLs: []schema.URL{{ExpandedURL: "https://example.com/"}}, Media: []schema.Media{{Key: "3_1"}},
		Metrics:  schema.Metrics{Likes: new(int64(5)), Retweets: new(int64(5)), Replies: new(int64(5)), Quotes: new(int64(5)), Impressions: new(int64(3_000_000_000))},
		Location: schema.NewLocation(10, 20), Place: &schema.Place{CountryCode: "DE"}, References: []schema.Reference{{Type: schema.Quoted, ID: "3"}},
	}
	e := newEdge(t, tw, schema.Tweet{ID: "7"})
	for _, filter := range []string{
		`text: "FOREST kel*"`, `ids: ["1635573202396643335"]`, `authorIds: ["9"]`, `usernames: ["@mira"]`, `hashtags: ["#KELP"]`, `allHashtags: ["kelp"]`,
		`mentions: ["bob"]`, `langs: ["EN"]`, `types: [QUOTE]`, `conversationId: "5"`, `since: "2023-03-14T09:10:00Z"`, `until: "2023-03-14T09:10:00.001Z"`,
		`hasLocation: true`, `hasMedia: true`, `hasLinks: true`, `linkHosts: ["EXAMPLE.com"]`, `countryCodes: ["de"]`, `sources: ["web"]`,
		`near: {latitude: 10, longitude: 20, radiusKm: 1}`, `within: {south: 10, west: 20, north: 10, east: 20}`, `minLikes: 5`, `minRetweets: 5`, `minReplies: 5`,
		`minQuotes: 5`, `minImpressions: 2999999999`, `any: [{langs: ["en"]}]`, `not: {ids: ["7"]}`,
	} {
		r := e.ask(t, `{tweets(filter: {`+filter+`}) {nodes {id}}}`, nil)
		if want := `{"nodes":[{"id":"1635573202396643335"}]}`; string(r.Data["tweets"]) != want || len(r.Errors) > 0 {
			t.Errorf("%s: %s %v, want %s", filter, r.Data["tweets"], r.Errors, want)
		}
	}
	for _, field := range []string{"CREATED_AT", "LIKES", "RETWEETS", "REPLIES", "QUOTES", "IMPRESSIONS", "USERNAME"} {
		for _, direction := range []string{"ASC", "DESC"} {
			r := e.ask(t, `query($o: TweetOrder!) {tweets(orderBy: $o) {nodes {id}}}`, map[string]any{"o": map[string]any{"field": field, "direction": direction}})
			if want := `{"nodes":[{"id":"1635573202396643335"},{"id":"7"}]}`; string(r.Data["tweets"]) != want || len(r.Errors) > 0 {
				t.Errorf("%s %s: %s %v, want %s: nulls last", field, direction, r.Data["tweets"], r.Errors, want)
			}
		}
	}
	r := e.ask(t, `{tweets(first: 1, offset: 1) {nodes {id} pageInfo {hasNextPage hasPreviousPage}}}`, nil)
	if want := `{"nodes":[{"id":"7"}],"pageInfo":{"hasNextPage":false,"hasPreviousPage":true}}`; string(r.Data["tweets"]) != want {
		t.Errorf("offset 1: %s, want %s", r.Data["tweets"], want)
	}
	r = e.ask(t, `{user(username: "mira") {id username}}`, nil)
	if want := `{"id":"9","username":"Mira"}`; string(r.Data["user"]) != want {
		t.Errorf("user: %s, want %s", r.Data["user"], want)
	}
}

// TestReferencesInOneTrip: what a page's tweets refer to is read in one call
// for each level that is selected, however many they are.
func TestReferencesInOneTrip(t *testing.T) {
	var tweets []schema.Tweet
	for i := range 90 {
		tweets = append(tweets, schema.Tweet{ID: fmt.Sprint(1000 + i), References: []schema.Reference{{Type: schema.Quoted, ID: fmt.Sprint(1000 + i/2)}, {Type: schema.RepliedTo, ID: "5"}}})
	}
	e := newEdge(t, tweets...)
	if err := e.store.Prepare(t.Context()); err != nil { // which also reads tweets by id, when it likes
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, query string
		calls       int
	}{
		{"one level", `{tweets(first: 90) {edges {node {references {id tweet {id}}}}}}`, 1},
		{"two levels", `{tweets(first: 90) {nodes {...f}}} fragment f on Tweet {r: references {t: tweet {references {tweet {id}}}}}`, 1},
		{"one tweet", `{tweet(id: "1089") {references {tweet {id}}}}`, 2},
		{"node", `{node(id: "1089") {... on Tweet {references {tweet {id}}}}}`, 2},
		{"ids alone", `{tweets(first: 90) {nodes {references {id}}}}`, 0},
		{"skipped", `{tweets(first: 90) {nodes {references {tweet @skip(if: true) {id} id}}}}`, 0},
	} {
		before := e.calls(t)
		r := e.ask(t, tt.query, nil)
		if len(r.Errors) > 0 {
			t.Errorf("%s: %+v", tt.name, r.Errors)
		}
		if got := e.calls(t) - before; got != tt.calls {
			t.Errorf("%s: %d calls of JSON.MGET, want %d", tt.name, got, tt.calls)
		}
	}
	r := e.ask(t, `{tweet(id: "1089") {references {type tweet {id}}}}`, nil)
	want := `{"references":[{"type":"QUOTED","tweet":{"id":"1044"}},{"type":"REPLIED_TO","tweet":null}]}`
	if diff := cmp.Diff(want, string(r.Data["tweet"])); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}

// calls returns how often JSON.MGET was called.
func (e *edge) calls(t *testing.T) int {
	t.Helper()
	info, err := e.redis.Do(t.Context(), e.redis.B().Info().Section("commandstats").Build()).ToString()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if _, rest, ok := strings.Cut(info, "cmdstat_json.mget:calls="); ok {
		fmt.Sscan(rest, &n)
	}
	return n
}

// TestPlans: who asks for plans gets them where the setting allows it, and
// nobody else's answer changes.
func TestPlans(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7"})
	for _, allowed := range []bool{false, true} {
		for _, header := range []string{"", "1"} {
			edge := New(Config{Store: search.NewCached(e.redis), Deadline: 20 * time.Second, Access: testAccess, Log: slog.New(slog.DiscardHandler), ShowPlans: allowed})
			for range 2 { // the second time from the cache
				req := httptest.NewRequest(http.MethodPost, PathGraphQL, strings.NewReader(`{"query":"{a: tweets {nodes {id}}}"}`))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("X-Visualizer-Plan", header)
				rec := httptest.NewRecorder()
				edge.ServeHTTP(rec, req)
				shown := strings.Contains(rec.Body.String(), `"plan":[{"field":"a","steps":[{"kind":"whole","query":"*"`)
				if shown != (allowed && header != "") {
					t.Errorf("allowed %v, header %q: %s", allowed, header, rec.Body)
				}
			}
		}
	}
}

// TestResponses: an operation is answered again while nothing is stored, what
// differs in anything is not, and what may change by itself is asked anew.
func TestResponses(t *testing.T) {
	e := newEdge(t, schema.Tweet{ID: "7", Lang: "en"}, schema.Tweet{ID: "8", Lang: "ja"})
	edge := New(Config{Store: search.NewCached(e.redis), Deadline: 20 * time.Second, Access: testAccess, Log: slog.New(slog.DiscardHandler)})
	ask := func(body string) string {
		req := httptest.NewRequest(http.MethodPost, PathGraphQL, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		edge.ServeHTTP(rec, req)
		return rec.Body.String()
	}
	for _, tt := range []struct {
		body, want string
		repeatable bool
	}{
		{`{"query":"query($l: [String!]) {tweets(filter: {langs: $l}) {nodes {id}}}","variables":{"l":["en"]}}`, `{"data":{"tweets":{"nodes":[{"id":"7"}]}}}`, true},
		{`{"query":"query($l: [String!]) {tweets(filter: {langs: $l}) {nodes {id}}}","variables":{"l":["ja"]}}`, `{"data":{"tweets":{"nodes":[{"id":"8"}]}}}`, true},
		{`{"query":"query A {tweet(id: \"7\") {id}} query B {tweet(id: \"8\") {id}}","operationName":"A"}`, `{"data":{"tweet":{"id":"7"}}}`, true},
		{`{"query":"query A {tweet(id: \"7\") {id}} query B {tweet(id: \"8\") {id}}","operationName":"B"}`, `{"data":{"tweet":{"id":"8"}}}`, true},
		{`{"query":"{stream {state}}"}`, `{"data":{"stream":{"state":"OFFLINE"}}}`, false},
		{`{"query":"{tweets {nodes {id}} stream {state}}"}`, `{"data":{"tweets":{"nodes":[{"id":"8"},{"id":"7"}]},"stream":{"state":"OFFLINE"}}}`, false},
		{`{"query":"{tweets(first: -1) {nodes {id}}}"}`, "", false},
	} {
		for i := range 2 {
			before := edge.Cache().Hits.Load()
			if got := ask(tt.body); tt.want != "" && got != tt.want {
				t.Errorf("%s: %s, want %s", tt.body, got, tt.want)
			}
			if hit := edge.Cache().Hits.Load() > before; hit != (tt.repeatable && i == 1) {
				t.Errorf("%s, time %d: from the cache %v", tt.body, i, hit)
			}
		}
	}
	if err := e.redis.Do(t.Context(), e.redis.B().Del().Key(schema.TweetKey("7")).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	gone := `{"query":"{tweet(id: \"7\") {id}}"}`
	for began := time.Now(); ask(gone) != `{"data":{"tweet":null}}`; {
		if time.Since(began) > 2*time.Second {
			t.Fatal("a deleted tweet is still answered")
		}
	}
}
