package schema

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTypes(t *testing.T) {
	refers := func(kinds ...ReferenceType) Tweet {
		var t Tweet
		for _, k := range kinds {
			t.References = append(t.References, Reference{Type: k, ID: "1"})
		}
		return t
	}
	for _, tt := range []struct {
		name string
		in   Tweet
		want []TweetType
	}{
		{"none", Tweet{}, []TweetType{TypeOriginal}},
		{"retweet", refers(Retweeted), []TweetType{TypeRetweet}},
		{"quote", refers(Quoted), []TweetType{TypeQuote}},
		{"retweet of a quote", refers(Quoted, Retweeted), []TweetType{TypeRetweet}},
		{"reply", refers(RepliedTo), []TweetType{TypeReply}},
		{"reply to a user", Tweet{InReplyToUserID: "7"}, []TweetType{TypeReply}},
		{"reply that quotes", refers(RepliedTo, Quoted), []TweetType{TypeReply, TypeQuote}},
	} {
		if diff := cmp.Diff(tt.want, tt.in.Types()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestMediaAndLinks(t *testing.T) {
	own, other := URL{URL: "https://t.co/a", MediaKey: "3_1"}, URL{URL: "https://t.co/b"}
	for _, tt := range []struct {
		name         string
		in           Tweet
		media, links bool
	}{
		{"nothing", Tweet{}, false, false},
		{"only a key", Tweet{Media: []Media{{Key: "3_1"}}}, true, false},
		{"a link to own media", Tweet{URLs: []URL{own}}, true, false},
		{"a link", Tweet{URLs: []URL{other}}, false, true},
		{"both", Tweet{URLs: []URL{own, other}, Media: []Media{{Key: "3_1"}}}, true, true},
	} {
		if tt.in.HasMedia() != tt.media || tt.in.HasLinks() != tt.links {
			t.Errorf("%s: media %v, links %v", tt.name, tt.in.HasMedia(), tt.in.HasLinks())
		}
	}
}

func TestLinkHost(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.com/a?b#c":          "example.com",
		"HTTP://WWW.Example.COM:8080/":       "example.com",
		"example.com":                        "example.com",
		"www.example.com/path":               "example.com",
		"https://user:pw@news.example.com./": "news.example.com",
		"https://xn--bcher-kva.example/":     "bücher.example",
		"https://BÜCHER.example/":            "bücher.example",
		"https://[::1]:80/":                  "::1",
		"//cdn.example/x":                    "cdn.example",
		"https://example.com/100%-off":       "example.com",
		"https://example.com/#%zz//@x":       "example.com",
		"https://example.com:abc/":           "example.com",
		"https://example.com?to=//else":      "example.com",
		"":                                   "",
		"  ":                                 "",
		"https://":                           "",
		"https://exa mple/":                  "",
	} {
		if got := LinkHost(in); got != want {
			t.Errorf("LinkHost(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestChord: within a distance means within its chord, wherever the points are.
func TestChord(t *testing.T) {
	at := func(lat, lon float64) Location { return Location{Latitude: lat, Longitude: lon} }
	for _, pair := range [][2]Location{
		{at(0, 0), at(0, 0)}, {at(0, 180), at(0, -180)}, {at(85.05, 0), at(85.05, 180)}, {at(48.8566, 2.3522), at(48.8567, 2.3522)},
		{at(10, 20), at(-10, -160)}, {at(0, 179.9), at(0, -179.9)}, {at(-85, 12), at(85, 100)},
	} {
		km := pair[0].Distance(pair[1])
		squared := 0.0
		a, b := pair[0].Vector(), pair[1].Vector()
		for i := range a {
			squared += (a[i] - b[i]) * (a[i] - b[i])
		}
		for _, metre := range []float64{-0.001, 0.001} {
			if r := km + metre; r > 0 && (squared <= Chord(r)) != (km <= r) {
				t.Errorf("%v to %v is %v km: chord %v, that of %v km %v", pair[0], pair[1], km, squared, r, Chord(r))
			}
		}
	}
	if far := at(0, 0).Distance(at(0, 180)); math.Abs(far-math.Pi*EarthRadius) > 1e-6 || Chord(20_040) < 4 {
		t.Errorf("half the equator is %v km, chord of 20040 km %v", far, Chord(20_040))
	}
}
