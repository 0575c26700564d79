package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/schema"
)

const fullV11 = `{"created_at":"Tue Mar 14 09:26:53 +0000 2023","id":1635573202396643300,"id_str":"1635573202396643335","text":"RT @bob: cut…",
"source":"<a href=\"https://app.example\" rel=\"nofollow\">Ex &amp; App</a>","truncated":true,"in_reply_to_status_id":7,"in_reply_to_status_id_str":"8","in_reply_to_user_id_str":"9","in_reply_to_screen_name":"x",
"user":{"id":9900000101,"id_str":"9900000101","name":"Mira","screen_name":"mira","location":null,"description":"d","verified":false,"followers_count":321,"friends_count":45,"statuses_count":678,"created_at":"Sun Feb 03 04:05:06 +0000 2019","profile_image_url_https":"https://img.example/a.jpg"},
"coordinates":{"type":"Point","coordinates":[-4.2,50.1]},"geo":{"type":"Point","coordinates":[1,2]},
"place":{"id":"ab","full_name":"Port Quillon","country_code":"ZZ","bounding_box":{"type":"Polygon","coordinates":[[[-4.3,50],[-4.3,50.2],[-4.1,50.2],[-4.1,50]]]}},
"retweeted_status":{"id_str":"20","full_text":"whole","user":{"id_str":"3","screen_name":"bob"}},"quoted_status_id":30,"quoted_status_id_str":"30","is_quote_status":true,
"quote_count":1,"reply_count":2,"retweet_count":3,"favorite_count":4,
"extended_tweet":{"full_text":"the long form","entities":{"hashtags":[{"text":"Tail"}],"symbols":[{"text":"TWTR"}],"user_mentions":[{"screen_name":"bob","id_str":"3"}],"urls":[{"url":"https://t.example/1","expanded_url":"https://tides.example/"}],"media":[{"id_str":"1"}]},
"extended_entities":{"media":[{"id_str":"1","type":"photo","url":"https://t.example/2","media_url_https":"https://img.example/1.jpg","ext_alt_text":"kelp"},{"id_str":"2","type":"video","media_url_https":"https://img.example/2.jpg"}]}},
"entities":{"hashtags":[{"text":"Head"}],"urls":[],"user_mentions":[],"symbols":[]},"retweeted":false,"possibly_sensitive":true,"lang":"en","timestamp_ms":"1678786013589",
"withheld_in_countries":["ZZ","XY"],"withheld_scope":"status"}`

func TestV11(t *testing.T) {
	want := &schema.Tweet{
		ID: "1635573202396643335", RawText: "the long form", Text: "the long form", OriginalText: "whole", CreatedAt: at(t, "2023-03-14T09:26:53Z"),
		Lang: "en", Source: "Ex & App", InReplyToUserID: "9",
		Author: &schema.User{
			ID: "9900000101", Username: "mira", Name: "Mira", Description: "d", Verified: ptr(false),
			FollowersCount: ptr[int64](321), FollowingCount: ptr[int64](45), TweetCount: ptr[int64](678),
			CreatedAt: at(t, "2019-02-03T04:05:06Z"), ProfileImageURL: "https://img.example/a.jpg",
		},
		Hashtags: []string{"Tail", "Head"}, Cashtags: []string{"TWTR"}, Mentions: []schema.Mention{{Username: "bob", ID: "3"}},
		URLs: []schema.URL{{URL: "https://t.example/1", ExpandedURL: "https://tides.example/"}},
		Media: []schema.Media{
			{Key: "3_1", Type: "photo", URL: "https://img.example/1.jpg", AltText: "kelp"},
			{Key: "7_2", Type: "video", URL: "https://img.example/2.jpg"},
		},
		Metrics:  schema.Metrics{Likes: ptr[int64](4), Retweets: ptr[int64](3), Replies: ptr[int64](2), Quotes: ptr[int64](1)},
		Location: &schema.Location{Latitude: 50.1, Longitude: -4.2},
		Place:    &schema.Place{ID: "ab", FullName: "Port Quillon", CountryCode: "ZZ", BBox: []float64{-4.3, 50, -4.1, 50.2}},
		References: []schema.Reference{
			{Type: schema.Retweeted, ID: "20"}, {Type: schema.Quoted, ID: "30"}, {Type: schema.RepliedTo, ID: "8"},
		},
		PossiblySensitive: ptr(true),
		Withheld:          &schema.Withheld{CountryCodes: []string{"ZZ", "XY"}, Scope: "tweet"},
	}
	if diff := cmp.Diff(want, one(t, fullV11)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestV11Text(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		truncated      bool
	}{
		{"plain", `"text":"a"`, "a", false},
		{"extended mode", `"full_text":"long","truncated":false`, "long", false},
		{"both", `"text":"a","full_text":"long"`, "long", false},
		{"compatibility with extended_tweet", `"text":"a…","truncated":true,"extended_tweet":{"full_text":"long"}`, "long", false},
		{"truncated, and nothing more", `"text":"a…","truncated":true`, "a…", true},
		{"extended_tweet empty", `"text":"a…","truncated":true,"extended_tweet":{}`, "a…", true},
	} {
		got := one(t, `{"id_str":"1",`+tt.in+`}`)
		if got.RawText != tt.want || got.Truncated != tt.truncated {
			t.Errorf("%s: %q, truncated %v, want %q, %v", tt.name, got.RawText, got.Truncated, tt.want, tt.truncated)
		}
	}
}

func TestV11Geo(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     *schema.Location
	}{
		{"none", `"coordinates":null,"geo":null`, nil},
		{"coordinates", `"coordinates":{"type":"Point","coordinates":[-4.2,50.1]}`, &schema.Location{Latitude: 50.1, Longitude: -4.2}},
		{"geo, the other way round", `"coordinates":null,"geo":{"type":"Point","coordinates":[50.1,-4.2]}`, &schema.Location{Latitude: 50.1, Longitude: -4.2}},
		{"out of range", `"coordinates":{"coordinates":[0,86]},"geo":{"coordinates":[1,2]}`, nil},
		{"short", `"coordinates":{"coordinates":[1]}`, nil},
	} {
		got := one(t, `{"id_str":"1","text":"",`+tt.in+`}`).Location
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestClientName(t *testing.T) {
	for in, want := range map[schema.Opt]schema.Opt{
		"":                         "",
		"web":                      "web",
		`<a href="x">App</a>`:      "App",
		`<a href="x"></a>`:         "",
		`<a href="x">A &lt; B</a>`: "A < B",
		`<a href="x">not closed`:   `<a href="x">not closed`,
	} {
		if got := clientName(in); got != want {
			t.Errorf("clientName(%q) = %q, want %q", in, got, want)
		}
	}
}
