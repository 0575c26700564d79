package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/schema"
)

// ptr returns a pointer to a value.
func ptr[T any](v T) *T { return &v }

// at returns the moment an RFC 3339 string names.
func at(t testing.TB, s string) *schema.Time {
	t.Helper()
	when, err := schema.ParseDateTime(s)
	if err != nil {
		t.Fatal(err)
	}
	return &when
}

const fullV2 = `{"data":{"id":"1635573202396643335","text":"a &amp; b #Kelp","author_id":9900000101,"created_at":"2023-03-14T09:26:53.000Z",
"lang":"en","source":"Example App","possibly_sensitive":false,"conversation_id":"1","in_reply_to_user_id":"5",
"public_metrics":{"retweet_count":1,"reply_count":"2","like_count":3.0,"quote_count":0,"bookmark_count":-1,"impression_count":44},
"entities":{"hashtags":[{"tag":"Kelp"}],"cashtags":[{"tag":"TWTR"}],"mentions":[{"username":"bob","id":"7"},{"username":"eve"}],
"urls":[{"url":"https://t.example/1","expanded_url":"https://tides.example/","title":"Tides"},{"url":"https://t.example/2","expanded_url":"https://x.example/a/status/1635573202396643335/photo/1","media_key":"3_1"}]},
"attachments":{"media_keys":["3_1","3_2"]},"geo":{"place_id":"ab","coordinates":{"type":"Point","coordinates":[-4.2,50.1]}},
"referenced_tweets":[{"type":"quoted","id":"2"},{"type":"replied_to","id":3},{"type":"other","id":"4"},{"type":"quoted","id":"x"}],
"edit_history_tweet_ids":["1635573202396643334","1635573202396643335"],"withheld":{"copyright":false,"country_codes":["DE"],"scope":"user"}},
"includes":{"users":[{"id":"9900000101","username":"mira","name":"Mira","description":"","location":"Quay","verified":true,"created_at":"2019-02-03T04:05:06.000Z",
"profile_image_url":"https://img.example/a.jpg","public_metrics":{"followers_count":321,"following_count":45,"tweet_count":678}}],
"places":[{"id":"ab","full_name":"Port Quillon","country_code":"ZZ","geo":{"bbox":[-4.3,50,-4.1,50.2]}}],
"media":[{"media_key":"3_1","type":"photo","url":"https://img.example/1.png","alt_text":"kelp"}]},
"matching_rules":[{"id":1900000000000000011,"tag":"tides"},{"id":"2"},{"tag":"x"}],"__twarc":{"retrieved_at":"2023-03-20T10:00:00+00:00"}}`

func TestV2(t *testing.T) {
	observed := at(t, "2023-03-20T10:00:00Z")
	want := &schema.Tweet{
		ID: "1635573202396643335", RawText: "a &amp; b #Kelp", Text: "a & b #Kelp",
		CreatedAt: at(t, "2023-03-14T09:26:53Z"), Lang: "en", Source: "Example App", ConversationID: "1", InReplyToUserID: "5",
		Author: &schema.User{
			ID: "9900000101", Username: "mira", Name: "Mira", Location: "Quay", Verified: ptr(true),
			FollowersCount: ptr[int64](321), FollowingCount: ptr[int64](45), TweetCount: ptr[int64](678),
			CreatedAt: at(t, "2019-02-03T04:05:06Z"), ProfileImageURL: "https://img.example/a.jpg", ObservedAt: observed,
		},
		Hashtags: []string{"Kelp"}, Cashtags: []string{"TWTR"},
		Mentions: []schema.Mention{{Username: "bob", ID: "7"}, {Username: "eve"}},
		URLs: []schema.URL{
			{URL: "https://t.example/1", ExpandedURL: "https://tides.example/", Title: "Tides"},
			{URL: "https://t.example/2", ExpandedURL: "https://x.example/a/status/1635573202396643335/photo/1", MediaKey: "3_1"},
		},
		Media:    []schema.Media{{Key: "3_1", Type: "photo", URL: "https://img.example/1.png", AltText: "kelp"}, {Key: "3_2"}},
		Metrics:  schema.Metrics{Likes: ptr[int64](3), Retweets: ptr[int64](1), Replies: ptr[int64](2), Quotes: ptr[int64](0), Impressions: ptr[int64](44)},
		Location: &schema.Location{Latitude: 50.1, Longitude: -4.2},
		Place:    &schema.Place{ID: "ab", FullName: "Port Quillon", CountryCode: "ZZ", BBox: []float64{-4.3, 50, -4.1, 50.2}},
		References: []schema.Reference{
			{Type: schema.Quoted, ID: "2"}, {Type: schema.RepliedTo, ID: "3"},
		},
		PossiblySensitive: ptr(false),
		Withheld:          &schema.Withheld{CountryCodes: []string{"DE"}, Scope: "user"},
		MatchingRules:     []schema.MatchingRule{{ID: "1900000000000000011", Tag: "tides"}, {ID: "2"}},
		EditHistoryIDs:    []string{"1635573202396643334", "1635573202396643335"},
		ObservedAt:        observed,
	}
	if diff := cmp.Diff(want, one(t, fullV2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Records that differ in form mean the same.
func TestV2SameMeaning(t *testing.T) {
	for _, tt := range []struct{ name, a, b string }{
		{"null, {}, [] and absent",
			`{"data":{"id":"1","text":"a","entities":{},"geo":{},"attachments":null,"public_metrics":[],"referenced_tweets":[],"edit_history_tweet_ids":null,"withheld":{},"author_id":null,"lang":"","author":{},"note_tweet":{}},"includes":{},"matching_rules":[],"__twarc":{}}`,
			`{"id":"1","text":"a"}`},
		{"wrong types and absent",
			`{"data":{"id":"1","text":"a","entities":5,"geo":"x","attachments":[1],"public_metrics":{"like_count":"many","retweet_count":1.5,"reply_count":true},"referenced_tweets":{"type":"quoted"},"edit_history_tweet_ids":"1","withheld":1,"author_id":{},"lang":5,"possibly_sensitive":"yes","created_at":17,"source":["x"],"conversation_id":1.5}}`,
			`{"id":"1","text":"a"}`},
		{"renamed members",
			`{"data":{"id":"1","text":"a","referenced_posts":[{"type":"quoted","id":"2"}],"edit_history_post_ids":["1"],"note_post":{"text":"long"},"public_metrics":{"repost_count":3},"withheld":{"country_codes":["DE"],"scope":"post"},"author_id":"5"},"includes":{"users":[{"id":"5","username":"u","public_metrics":{"post_count":9}}]}}`,
			`{"data":{"id":"1","text":"a","referenced_tweets":[{"type":"quoted","id":"2"}],"edit_history_tweet_ids":["1"],"note_tweet":{"text":"long"},"public_metrics":{"retweet_count":3},"withheld":{"country_codes":["DE"],"scope":"tweet"},"author_id":"5"},"includes":{"users":[{"id":"5","username":"u","public_metrics":{"tweet_count":9}}]}}`},
		{"flat and expanded",
			`{"id":"1","text":"a","author_id":"5","author":{"id":"5","username":"u"},"geo":{"place_id":"ab","id":"ab","full_name":"P","country_code":"ZZ","geo":{"bbox":[1,2,3,4]}},"attachments":{"media_keys":["3_1"],"media":[{"media_key":"3_1","type":"photo"}]}}`,
			`{"data":{"id":"1","text":"a","author_id":"5","geo":{"place_id":"ab"},"attachments":{"media_keys":["3_1"]}},"includes":{"users":[{"id":"5","username":"u"}],"places":[{"id":"ab","full_name":"P","country_code":"ZZ","geo":{"bbox":[1,2,3,4]}}],"media":[{"media_key":"3_1","type":"photo"}]}}`},
		{"elements of the wrong type",
			`{"id":"1","text":"a","entities":{"hashtags":[null,5,{"tag":7},{"tag":""},{"tag":"x"},"y"],"mentions":[{},{"username":5}],"urls":[{"url":null}]},"edit_history_tweet_ids":[null,"x",{}],"attachments":{"media_keys":[5,null,""]}}`,
			`{"id":"1","text":"a","entities":{"hashtags":[{"tag":"x"}]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(one(t, tt.b), one(t, tt.a)); diff != "" {
				t.Errorf("(-b +a):\n%s", diff)
			}
		})
	}
}

func TestLongForm(t *testing.T) {
	got := one(t, `{"data":{"id":"1","text":"cut #A #Gran…","entities":{"hashtags":[{"tag":"A"},{"tag":"Gran"}],"mentions":[{"username":"bob"},{"username":"eve","id":"8"}]},
"note_tweet":{"text":"long #A #Granite @bob","entities":{"hashtags":[{"tag":"A"},{"tag":"Granite"}],"mentions":[{"username":"Bob","id":"7"},{"username":"eve"}]}}}}`)
	want := &schema.Tweet{
		ID: "1", RawText: "long #A #Granite @bob", Text: "long #A #Granite @bob",
		Hashtags: []string{"A", "Granite", "Gran"}, Mentions: []schema.Mention{{Username: "Bob", ID: "7"}, {Username: "eve", ID: "8"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only a tweet without any entities object gets what its text says.
func TestEntitiesFromText(t *testing.T) {
	for _, tt := range []struct {
		entities string
		want     []string
	}{
		{``, []string{"x"}},
		{`,"entities":null`, []string{"x"}},
		{`,"entities":{}`, []string{"x"}},
		{`,"entities":{"hashtags":[]}`, nil},
		{`,"entities":{"annotations":[{"type":"Other"}]}`, nil},
		{`,"entities":{"hashtags":[{"tag":"y"}]}`, []string{"y"}},
		{`,"note_tweet":{"text":"#z","entities":{"urls":[]}}`, nil},
	} {
		got := one(t, `{"data":{"id":"1","text":"&lt;3 #x"`+tt.entities+`}}`)
		same(t, "hashtags with "+tt.entities, got.Hashtags, tt.want)
	}
}

func TestAuthor(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     *schema.User
	}{
		{"nobody", `{"id":"1","text":""}`, nil},
		{"id only", `{"id":"1","text":"","author_id":"5"}`, &schema.User{ID: "5"}},
		{"a number", `{"id":"1","text":"","author_id":1635573202396643335}`, &schema.User{ID: "1635573202396643335"}},
		{"gone", `{"data":{"id":"1","text":"","author_id":"5"},"includes":{"users":[{"id":"6","username":"x"}]}}`, &schema.User{ID: "5"}},
		{"flat without author_id", `{"id":"1","text":"","author":{"id":"5","name":"N"}}`, &schema.User{ID: "5", Name: "N"}},
		{"empty username", `{"data":{"id":"1","text":"","author_id":"5"},"includes":{"users":[{"id":"5","username":""}]}}`, &schema.User{ID: "5"}},
		{"no id at all", `{"id":"1","text":"","author":{"username":"x"}}`, &schema.User{Username: "x"}},
	} {
		if diff := cmp.Diff(tt.want, one(t, tt.in).Author); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A live source observes at arrival, whatever the record says; a user without
// profile data was not observed.
func TestObservedAt(t *testing.T) {
	arrival := at(t, "2024-01-01T00:00:00Z")
	in := `{"data":{"id":"1","text":"","author_id":"5"},"includes":{"users":[{"id":"5","username":"x"}],"tweets":[{"id":"2","text":"","author_id":"6"}]},"__twarc":{"retrieved_at":"2023-03-20T10:00:00Z"}}`
	for _, tt := range []struct {
		name           string
		observed, want *schema.Time
	}{
		{"live", arrival, arrival},
		{"file", nil, at(t, "2023-03-20T10:00:00Z")},
	} {
		events, _ := Decode([]byte(in), tt.observed)
		referenced, own := events[0].Tweet, events[1].Tweet
		same(t, tt.name+": tweet", own.ObservedAt, tt.want)
		same(t, tt.name+": author", own.Author.ObservedAt, tt.want)
		same(t, tt.name+": referenced", referenced.ObservedAt, tt.want)
		same(t, tt.name+": author without profile", referenced.Author.ObservedAt, (*schema.Time)(nil))
	}
}

func TestEditHistoryHoldsTheTweetItself(t *testing.T) {
	same(t, "history", one(t, `{"id":"3","text":"","edit_history_tweet_ids":["1","2","1",2]}`).EditHistoryIDs, []string{"1", "2", "3"})
	same(t, "no history", one(t, `{"id":"3","text":""}`).EditHistoryIDs, []string(nil))
}

func TestOwnMediaLinks(t *testing.T) {
	link := func(expanded, more string) string {
		return `"entities":{"urls":[{"url":"https://t.example/1","expanded_url":"` + expanded + `"` + more + `}]}`
	}
	for _, tt := range []struct {
		name, in string
		key      schema.Opt
		media    int
	}{
		{"key given", link("https://x.example/u/status/9/photo/1", `,"media_key":"3_1"`) + `,"attachments":{"media_keys":["3_1"]}`, "3_1", 1},
		{"key given, attachments not asked for", link("https://x.example/u/status/9/photo/1", `,"media_key":"3_1"`), "3_1", 1},
		{"key of another tweet", link("https://x.example/u/status/9/photo/1", `,"media_key":"3_7"`) + `,"attachments":{"media_keys":["3_1"]}`, "", 1},
		{"before there were keys", link("https://twitter.example/u/status/1/photo/1", "") + `,"attachments":{"media_keys":["3_1","3_2"]}`, "3_1", 2},
		{"of the tweet it repeats", link("https://twitter.example/u/status/2/video/1", "") + `,"attachments":{"media_keys":["3_1"]},"referenced_tweets":[{"type":"retweeted","id":"2"}]`, "3_1", 1},
		{"of another tweet", link("https://twitter.example/u/status/5/photo/1", "") + `,"attachments":{"media_keys":["3_1"]}`, "", 1},
		{"a link", link("https://tides.example/", "") + `,"attachments":{"media_keys":["3_1"]}`, "", 1},
	} {
		got := one(t, `{"id":"1","text":"",`+tt.in+`}`)
		if got.URLs[0].MediaKey != tt.key || len(got.Media) != tt.media {
			t.Errorf("%s: media key %q, %d media, want %q, %d", tt.name, got.URLs[0].MediaKey, len(got.Media), tt.key, tt.media)
		}
	}
}

// Every string that the tweet keeps is mended one for one, and only those
// count.
func TestRepaired(t *testing.T) {
	for _, tt := range []struct {
		in       string // members of the tweet beside its id
		text     string
		repaired bool
	}{
		{`"text":"fine"`, "fine", false},
		{`"text":"a replacement ` + "\uFFFD" + `"`, "a replacement \uFFFD", false},
		{`"text":"\ufffd"`, "\uFFFD", false},
		{`"text":"` + "\xff\xfe" + `"`, "\uFFFD\uFFFD", true},
		{`"text":"` + "\xed\xa0\xbd" + `"`, "\uFFFD\uFFFD\uFFFD", true},
		{`"text":"\ud83d\ud83d\ude00\ude00"`, "\uFFFD😀\uFFFD", true},
		{`"text":"a\u0000b\u0000"`, "a\uFFFDb\uFFFD", true},
		{`"text":"","entities":{"hashtags":[{"tag":"\u0000"}]}`, "", true},
		{`"text":"","author":{"id":"5","location":"\ud83d"}`, "", true},
		{`"text":"","unknown":"\u0000\ud83d"`, "", false},
	} {
		got := one(t, `{"id":"1",`+tt.in+`}`)
		if got.RawText != tt.text || got.Repaired != tt.repaired {
			t.Errorf("%s: text %q, repaired %v, want %q, %v", tt.in, got.RawText, got.Repaired, tt.text, tt.repaired)
		}
	}
}
