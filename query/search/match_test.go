package search_test

import (
	"testing"

	"visualizer/query/search"
	"visualizer/schema"
)

func TestBox(t *testing.T) {
	for _, tt := range []struct {
		name     string
		box      search.Box
		lat, lon float64
		want     bool
	}{
		{"inside", search.Box{South: -1, West: -1, North: 1, East: 1}, 0, 0, true},
		{"southern edge", search.Box{South: -1, West: -1, North: 1, East: 1}, -1, 0, true},
		{"north-eastern corner", search.Box{South: -1, West: -1, North: 1, East: 1}, 1, 1, true},
		{"beyond an edge", search.Box{South: -1, West: -1, North: 1, East: 1}, 1.0000001, 0, false},
		{"a point", search.Box{South: 48.8566, West: 2.3522, North: 48.8566, East: 2.3522}, 48.8566, 2.3522, true},
		{"across 180°, east", search.Box{South: -1, West: 170, North: 1, East: -170}, 0, 175, true},
		{"across 180°, west", search.Box{South: -1, West: 170, North: 1, East: -170}, 0, -175, true},
		{"across 180°, outside", search.Box{South: -1, West: 170, North: 1, East: -170}, 0, 0, false},
		{"up to 180° holds -180°", search.Box{South: -1, West: 170, North: 1, East: 180}, 0, -180, true},
		{"from -180° holds 180°", search.Box{South: -1, West: -180, North: 1, East: -170}, 0, 180, true},
		{"the meridian alone", search.Box{South: -1, West: 180, North: 1, East: -180}, 0, 180, true},
		{"the meridian alone, not beside", search.Box{South: -1, West: 180, North: 1, East: -180}, 0, 179, false},
		{"all longitudes", search.Box{South: -1, West: -180, North: 1, East: 180}, 0, 7, true},
	} {
		tw := &schema.Tweet{ID: "1", Location: &schema.Location{Latitude: tt.lat, Longitude: tt.lon}}
		if got := (&search.Filter{Within: &tt.box}).Match(tw); got != tt.want {
			t.Errorf("%s: %v in %+v is %v", tt.name, tw.Location, tt.box, got)
		}
	}
	if (&search.Filter{Within: &search.Box{South: -90, West: -180, North: 90, East: 180}}).Match(&schema.Tweet{ID: "1"}) {
		t.Error("a tweet without location is in a box")
	}
}

// TestLogic: what is not given, what is empty, and what is unknown.
func TestLogic(t *testing.T) {
	tw := &schema.Tweet{ID: "1", Lang: "en"}
	for _, tt := range []struct {
		name string
		in   *search.Filter
		want bool
	}{
		{"nil", nil, true},
		{"{}", &search.Filter{}, true},
		{"[]", &search.Filter{Langs: []string{}}, false},
		{"allHashtags: []", &search.Filter{AllHashtags: []string{}}, true},
		{"any: []", &search.Filter{Any: []*search.Filter{}}, false},
		{"any: [{}]", &search.Filter{Any: []*search.Filter{{}}}, true},
		{"not: {}", &search.Filter{Not: &search.Filter{}}, false},
		{"not: {any: []}", &search.Filter{Not: &search.Filter{Any: []*search.Filter{}}}, true},
		{"not: not", &search.Filter{Not: &search.Filter{Not: &search.Filter{Langs: []string{"EN"}}}}, true},
		{"unknown likes", &search.Filter{MinLikes: new(int64(0))}, false},
		{"not unknown likes", &search.Filter{Not: &search.Filter{MinLikes: new(int64(0))}}, true},
		{"unknown date", &search.Filter{Since: new(schema.Time(0))}, false},
		{"a hashtag that is only a sign", &search.Filter{Hashtags: []string{"#"}}, false},
		{"an id that can't be", &search.Filter{IDs: []string{"01", "+1", "x"}}, false},
	} {
		if got := tt.in.Match(tw); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
