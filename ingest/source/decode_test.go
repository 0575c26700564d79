package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/schema"
)

// summary shows what a value became, in few words.
func summary(events []schema.Event, rejects []*Rejected) string {
	var parts []string
	for _, e := range events {
		s := string(e.Kind)
		switch {
		case e.Tweet != nil:
			s += " " + e.Tweet.ID
		case e.Notice != nil:
			s += fmt.Sprintf(" %s tweet=%s user=%s", e.Control, e.Notice.TweetID, e.Notice.UserID)
			if w := e.Notice.Withheld; w != nil {
				s += fmt.Sprintf(" %s %v", w.Scope, w.CountryCodes)
			}
		default:
			s += " " + e.Control
		}
		parts = append(parts, s)
	}
	for _, r := range rejects {
		parts = append(parts, string(r.Reason))
	}
	return strings.Join(parts, "; ")
}

// What a JSON value is, by the reading rules 4 to 7.
var decodeTests = []struct{ name, in, want string }{
	{"stream", `{"data":{"id":"1","text":"a"}}`, "tweet 1"},
	{"page", `{"data":[{"id":"2","text":"a"},{"id":"1","text":"b"}]}`, "tweet 2; tweet 1"},
	{"flat v2", `{"id":"1","text":"a","author_id":"2"}`, "tweet 1"},
	{"v1.1", `{"id_str":"1","id":2,"text":"a"}`, "tweet 1"},
	{"list", `[{"id":"1","text":"a"},null,[{"id":"2","text":"b"}],5]`, "tweet 1; control empty; tweet 2; not_tweet"},
	{"envelope with partial errors", `{"data":{"id":"1","text":"a"},"errors":[{"title":"Not Found Error"}]}`, "tweet 1"},
	{"flat tweet with errors", `{"id":"1","text":"a","errors":[{"title":"x"}]}`, "tweet 1"},

	{"referenced tweets first, each once", `{"data":{"id":"3","text":"a"},"includes":{"tweets":[{"id":"2","text":"b"},{"id":"1","text":"c"},{"id":"2","text":"d"}]}}`,
		"referenced 2; referenced 1; tweet 3"},
	{"not one of the page's own", `{"data":[{"id":"1","text":"a"},{"id":"2","text":"b"}],"includes":{"tweets":[{"id":"1","text":"a"}]}}`, "tweet 1; tweet 2"},
	{"renamed includes", `{"data":{"id":"3","text":"a"},"includes":{"posts":[{"id":"2","text":"b"}]}}`, "referenced 2; tweet 3"},
	{"includes that can't be tweets", `{"data":{"id":"3","text":"a"},"includes":{"tweets":[{"id":"2"},null,5,{"text":"x"}]}}`, "tweet 3"},
	{"inlined, within each other", `{"id":"3","text":"a","referenced_tweets":[{"type":"quoted","id":"2","text":"b","referenced_posts":[{"type":"replied_to","id":"1","text":"c"}]}]}`,
		"referenced 2; referenced 1; tweet 3"},
	{"v1.1 retweet of a quote", `{"id_str":"3","text":"a","retweeted_status":{"id_str":"2","full_text":"b","quoted_status":{"id_str":"1","text":"c"}},"quoted_status":{"id_str":"1","text":"c"}}`,
		"referenced 2; referenced 1; tweet 3"},

	{"no id", `{"data":{"text":"a"}}`, "invalid_tweet"},
	{"no text", `{"data":{"id":"1","edit_history_tweet_ids":["1"]}}`, "invalid_tweet"},
	{"nothing but an id", `{"data":{"id":"1"}}`, "invalid_tweet"},
	{"text null", `{"id":"1","text":null}`, "invalid_tweet"},
	{"text a number", `{"id":"1","text":5}`, "invalid_tweet"},
	{"text empty", `{"id":"1","text":""}`, "tweet 1"},
	{"v1.1 without text", `{"id_str":"1","user":null,"created_at":"x"}`, "invalid_tweet"},
	{"one bad element of a page", `{"data":[{"id":"0","text":"a"},{"id":"2","text":"b"},{"id":"3","username":"c"},null,7]}`,
		"tweet 2; invalid_tweet; not_tweet; not_tweet; not_tweet"},
	{"user", `{"id":"1","username":"a","name":"b"}`, "not_tweet"},
	{"user in an envelope", `{"data":{"id":"1","username":"a","name":"b"}}`, "not_tweet"},
	{"compliance job", `{"id":"1","action":"delete","created_at":"x","reason":"deleted"}`, "not_tweet"},
	{"count", `{"data":[{"start":"x","end":"y","tweet_count":5}],"meta":{"total_tweet_count":5}}`, "not_tweet"},
	{"scalar data", `{"data":5}`, "not_tweet"},
	{"scalars", `[1,"a",true,false,1.5]`, "not_tweet; not_tweet; not_tweet; not_tweet; not_tweet"},

	{"null", `null`, "control empty"},
	{"{}", `{}`, "control empty"},
	{"[]", `[]`, "control empty"},
	{"{ }", `{ }`, "control empty"},
	{"data null", `{"data":null}`, "control empty"},
	{"data {}", `{"data":{}}`, "control empty"},
	{"data []", `{"data":[],"meta":{"result_count":0}}`, "control empty"},
	{"meta", `{"meta":{"result_count":0}}`, "control empty"},
	{"unknown", `{"something_new":1}`, "control unknown"},
	{"wrong case", `{"DATA":{"id":"1","text":"a"}}`, "control unknown"},

	{"problems", `{"errors":[{"title":"operational-disconnect"}]}`, "control problem"},
	{"bare problem", `{"title":"ConnectionException","type":"https://api.x.com/2/problems/streaming-connection"}`, "control problem"},
	{"limit", `{"limit":{"track":5}}`, "control limit"},
	{"disconnect", `{"disconnect":{"code":4}}`, "control disconnect"},
	{"warning", `{"warning":{"code":"FALLING_BEHIND"}}`, "control warning"},
	{"event", `{"event":"follow","created_at":"x"}`, "control event"},
	{"friends", `{"friends":[]}`, "control friends"},
	{"notice beside a text", `{"id":"1","text":"a","delete":{}}`, "tweet 1"},

	{"delete", `{"delete":{"status":{"id":1,"id_str":"2","user_id":3,"user_id_str":"4"}}}`, "delete delete tweet=2 user=4"},
	{"old delete", `{"delete":{"status":{"id":6832057999,"user_id":99000}}}`, "delete delete tweet=6832057999 user=99000"},
	{"compliance delete", `{"data":{"delete":{"tweet":{"id":"1","author_id":"2"},"event_at":"x"}}}`, "delete delete tweet=1 user=2"},
	{"compliance delete, renamed", `{"data":{"delete":{"post":{"id":"1","author_id":"2"}}}}`, "delete delete tweet=1 user=2"},
	{"delete of a message", `{"delete":{"direct_message":{"id":1}}}`, "control delete"},
	{"delete of nothing", `{"delete":null}`, "control delete"},
	{"scrub_geo", `{"scrub_geo":{"user_id":1,"up_to_status_id":2}}`, "scrub_geo scrub_geo tweet=2 user=1"},
	{"scrub_geo of nobody", `{"scrub_geo":{"up_to_status_id":2}}`, "control scrub_geo"},
	{"status_withheld", `{"status_withheld":{"id":1,"user_id":2,"withheld_in_countries":["DE","XX"]}}`, "withheld status_withheld tweet=1 user=2 tweet [DE XX]"},
	{"user_withheld", `{"user_withheld":{"id":1,"withheld_in_countries":["DE"]}}`, "withheld user_withheld tweet= user=1 user [DE]"},
}

func TestDecode(t *testing.T) {
	for _, tt := range decodeTests {
		t.Run(tt.name, func(t *testing.T) {
			if got := summary(Decode([]byte(tt.in), nil)); got != tt.want {
				t.Errorf("Decode(%s)\n got %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestRejectedElementCarriesItself(t *testing.T) {
	_, rejects := Decode([]byte(`{"data":[{"id":"1","text":"a"}, {"id":"x","text":"b"} ]}`), nil)
	if len(rejects) != 1 || string(rejects[0].Raw) != `{"id":"x","text":"b"}` {
		t.Fatalf("rejects %v", rejects)
	}
	if want := `"x" is not an id`; rejects[0].Err.Error() != want {
		t.Errorf("error %q, want %q", rejects[0].Err, want)
	}
}

// What a person may want to read of a control message.
func TestControlDetail(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"errors":[{"title":"operational-disconnect","disconnect_type":"ForceDisconnect","detail":"Gone.","type":"https://api.x.com/2/problems/operational-disconnect"}]}`,
			"operational-disconnect: Gone. (ForceDisconnect)"},
		{`{"title":"ConnectionException","detail":"Too many.","connection_issue":"TooManyConnections","type":"https://api.twitter.com/2/problems/streaming-connection"}`,
			"streaming-connection: Too many. (TooManyConnections)"},
		{`{"title":"Too Many Requests","detail":"Wait.","type":"about:blank","status":429}`, "Too Many Requests: Wait."},
		{`{"errors":[{"code":88,"message":"Rate limit exceeded"}]}`, "Rate limit exceeded"},
		{`{"disconnect":{"code":4,"reason":"stall"}}`, "stall"},
		{`{"warning":{"code":"FALLING_BEHIND","message":"Too slow."}}`, "Too slow."},
		{`{"limit":{"track":12}}`, "12 tweets undelivered"},
		{`{"b":1,"a":{}}`, "b a"},
	} {
		events, _ := Decode([]byte(tt.in), nil)
		if len(events) != 1 || events[0].Detail != tt.want {
			t.Errorf("%s: detail %q, want %q", tt.in, events[0].Detail, tt.want)
		}
	}
}

func TestClip(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"two\nlines":                   "two lines",
		strings.Repeat("x", maxDetail): strings.Repeat("x", maxDetail),
		strings.Repeat("é", maxDetail): strings.Repeat("é", maxDetail/2) + "…",
		"x" + strings.Repeat("é", 200): "x" + strings.Repeat("é", maxDetail/2-1) + "…",
	} {
		if got := clip(in); got != want {
			t.Errorf("clip(%q) = %q, want %q", in, got, want)
		}
	}
}

// one decodes a value that holds one tweet.
func one(t testing.TB, in string) *schema.Tweet {
	t.Helper()
	events, rejects := Decode([]byte(in), nil)
	if len(rejects) > 0 || len(events) == 0 {
		t.Fatalf("Decode(%s) = %s", in, summary(events, rejects))
	}
	last := events[len(events)-1]
	if last.Kind != schema.KindTweet {
		t.Fatalf("Decode(%s) = %s", in, summary(events, rejects))
	}
	return last.Tweet
}

var idTests = []struct {
	in   string // as JSON
	want string // "" when it is none
}{
	{`"1"`, "1"},
	{`1`, "1"},
	{`"1635573202396643335"`, "1635573202396643335"},
	{`1635573202396643335`, "1635573202396643335"},
	{`9999999999999999999`, "9999999999999999999"},
	{`18446744073709551615`, ""}, // 20 digits
	{`"0"`, ""},
	{`0`, ""},
	{`"007"`, ""},
	{`-1`, ""},
	{`"+1"`, ""},
	{`1e3`, ""},
	{`1.0`, ""},
	{`" 1"`, ""},
	{`"1\u0000"`, ""},
	{`"١"`, ""}, // an Arabic digit
	{`""`, ""},
	{`true`, ""},
	{`["1"]`, ""},
	{`null`, ""},
}

func TestID(t *testing.T) {
	for _, tt := range idTests {
		in := `{"id":` + tt.in + `,"text":""}`
		want := "tweet " + tt.want
		if tt.want == "" {
			want = "invalid_tweet"
		}
		if got := summary(Decode([]byte(in), nil)); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

func TestDuplicateMembersLastWins(t *testing.T) {
	in := `{"data":{"id":"1","text":"x"},"data":{"id":"2","text":"a","entities":{"hashtags":[{"tag":"x"}]},` +
		`"entities":{"hashtags":[{"tag":"y"}]},"lang":"en","lang":null,"text":"b"}}`
	want := &schema.Tweet{ID: "2", RawText: "b", Text: "b", Hashtags: []string{"y"}}
	if diff := cmp.Diff(want, one(t, in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A tweet over the limit is set aside, and its neighbours are not.
func TestTooLarge(t *testing.T) {
	long := strings.Repeat("a", schema.MaxEventBytes)
	for _, tt := range []struct{ name, in, want string }{
		{"own", `{"data":{"id":"1","text":"` + long + `"}}`, "too_large"},
		{"just small enough", `{"data":{"id":"1","text":"` + long[:len(long)-100] + `"}}`, "tweet 1"},
		{"escapes are kept twice", `{"data":{"id":"1","text":"&amp;` + long[:len(long)/2] + `"}}`, "too_large"},
		{"of a page", `{"data":[{"id":"1","text":"a"},{"id":"2","text":"` + long + `"},{"id":"3","text":"c"}]}`, "tweet 1; tweet 3; too_large"},
		{"referenced", `{"data":{"id":"1","text":"a"},"includes":{"tweets":[{"id":"2","text":"` + long + `"}]}}`, "tweet 1; too_large"},
		{"bad bytes grow", `{"data":{"id":"1","text":"` + strings.Repeat("\xff", schema.MaxEventBytes/maxGrowth+1<<14) + `"}}`, "tweet 1"},
		{"bad bytes grow too much", `{"data":{"id":"1","text":"` + strings.Repeat("\xff", schema.MaxEventBytes/3) + `"}}`, "too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := summary(Decode([]byte(tt.in), nil)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
