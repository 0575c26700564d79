package server

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/schema"
)

// full is a tweet with every field that one that is found can have.
var full = schema.Tweet{
	ID: "1700000000000000001", RawText: "a &amp; \"b\" \\ c", Text: "a & \"b\" \\ c", OriginalText: "whole", CreatedAt: new(schema.Time(1_700_000_000_123)), CreatedAtDerived: true,
	Lang: "en", Source: "App", ConversationID: "12", InReplyToUserID: "13",
	Author: &schema.User{ID: "9", Username: "Mira", Name: "M", Description: "d", FollowersCount: new(int64(1)), FollowingCount: new(int64(2)), TweetCount: new(int64(3)),
		Verified: new(true), Location: "here", CreatedAt: new(schema.Time(5)), ProfileImageURL: "p", ObservedAt: new(schema.Time(6))},
	Hashtags: []string{"h"}, Cashtags: []string{"c"}, Mentions: []schema.Mention{{Username: "u", ID: "4"}},
	URLs: []schema.URL{{URL: "u", ExpandedURL: "e", Title: "t"}}, Media: []schema.Media{{Key: "3_1", Type: "photo", URL: "m", AltText: "a"}},
	Metrics:  schema.Metrics{Likes: new(int64(1)), Retweets: new(int64(2)), Replies: new(int64(3)), Quotes: new(int64(4)), Bookmarks: new(int64(5)), Impressions: new(int64(6))},
	Location: &schema.Location{Latitude: 1.5, Longitude: -2.25}, Place: &schema.Place{ID: "p", FullName: "f", CountryCode: "DE", BBox: []float64{1, 2, 3, 4}},
	References: []schema.Reference{{Type: schema.Quoted, ID: "1700000000000000001"}}, PossiblySensitive: new(true),
	Withheld: &schema.Withheld{CountryCodes: []string{"DE"}, Scope: "tweet"}, MatchingRules: []schema.MatchingRule{{ID: "1", Tag: "t"}},
	EditHistoryIDs: []string{"1700000000000000001"}, ObservedAt: new(schema.Time(7)), Repaired: true, Truncated: true,
}

// absent is what is shown of what a tweet does not have.
var absent = regexp.MustCompile(`null|false|\[]`)

// selections returns a selection of each field of a type, with all that is
// below it.
func selections(sdl *ast.Schema, typeName string) map[string]string {
	fields := map[string]string{}
	for _, f := range sdl.Types[typeName].Fields {
		below := sdl.Types[f.Type.Name()]
		switch {
		case below.Name == "Tweet":
			fields[f.Name] = f.Name + " {id}"
		case below.Kind == ast.Object:
			var inside []string
			for _, s := range selections(sdl, below.Name) {
				inside = append(inside, s)
			}
			fields[f.Name] = fmt.Sprintf("%s {%s}", f.Name, strings.Join(inside, " "))
		default:
			fields[f.Name] = f.Name
		}
	}
	return fields
}

// TestEachFieldByItself: a page shows a field of a tweet alike whatever else is
// selected, in every order.
func TestEachFieldByItself(t *testing.T) {
	e := newEdge(t, full)
	sdl, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL})
	if err != nil {
		t.Fatal(err)
	}
	for name, selected := range selections(sdl, "Tweet") {
		for _, order := range []string{"CREATED_AT", "LIKES", "USERNAME"} {
			r := e.ask(t, fmt.Sprintf(`{tweets(orderBy: {field: %s}) {nodes {%s}} tweet(id: %q) {%[2]s}}`, order, selected, full.ID), nil)
			want := fmt.Sprintf(`{"nodes":[%s]}`, r.Data["tweet"])
			if diff := cmp.Diff(want, string(r.Data["tweets"])); diff != "" || len(r.Errors) > 0 {
				t.Errorf("%s by %s: %v (-want +got):\n%s", name, order, r.Errors, diff)
			}
			if shown := string(r.Data["tweet"]); name != "supersededBy" && absent.MatchString(shown) {
				t.Errorf("%s: the test's tweet lacks it: %s", name, shown)
			}
		}
	}
}
