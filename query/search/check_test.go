package search_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestFilterCheck: each value without meaning has a message of its own and the
// path to it.
func TestFilterCheck(t *testing.T) {
	long := make([]string, 101)
	nest := func(depth int) *search.Filter {
		f := &search.Filter{}
		for range depth {
			f = &search.Filter{Any: []*search.Filter{f}}
		}
		return f
	}
	near := func(lat, lon, km float64) *search.Filter {
		return &search.Filter{Near: &search.Circle{Latitude: lat, Longitude: lon, RadiusKm: km}}
	}
	box := func(south, west, north, east float64) *search.Filter {
		return &search.Filter{Within: &search.Box{South: south, West: west, North: north, East: east}}
	}
	for _, tt := range []struct {
		name, want string // "" is no error
		in         *search.Filter
	}{
		{"nil", "", nil},
		{"empty", "", &search.Filter{}},
		{"100 values", "", &search.Filter{IDs: long[:100]}},
		{"ids", "filter.ids: 101 values", &search.Filter{IDs: long}},
		{"authorIds", "filter.authorIds: 101", &search.Filter{AuthorIDs: long}},
		{"usernames", "filter.usernames: 101", &search.Filter{Usernames: long}},
		{"hashtags", "filter.hashtags: 101", &search.Filter{Hashtags: long}},
		{"allHashtags", "filter.allHashtags: 101", &search.Filter{AllHashtags: long}},
		{"mentions", "filter.mentions: 101", &search.Filter{Mentions: long}},
		{"langs", "filter.langs: 101", &search.Filter{Langs: long}},
		{"types", "filter.types: 101", &search.Filter{Types: make([]schema.TweetType, 101)}},
		{"linkHosts", "filter.linkHosts: 101", &search.Filter{LinkHosts: long}},
		{"countryCodes", "filter.countryCodes: 101", &search.Filter{CountryCodes: long}},
		{"sources", "filter.sources: 101", &search.Filter{Sources: long}},
		{"since after until", "filter.since: since 1970-01-01T00:00:00.002Z is after until 1970-01-01T00:00:00.001Z", &search.Filter{Since: new(schema.Time(2)), Until: new(schema.Time(1))}},
		{"since is until", "", &search.Filter{Since: new(schema.Time(1)), Until: new(schema.Time(1))}},
		{"minLikes", "filter.minLikes: -1 is negative", &search.Filter{MinLikes: new(int64(-1))}},
		{"minRetweets", "filter.minRetweets: -1", &search.Filter{MinRetweets: new(int64(-1))}},
		{"minReplies", "filter.minReplies: -1", &search.Filter{MinReplies: new(int64(-1))}},
		{"minQuotes", "filter.minQuotes: -1", &search.Filter{MinQuotes: new(int64(-1))}},
		{"minImpressions", "filter.minImpressions: -1", &search.Filter{MinImpressions: new(int64(-1))}},
		{"centre at the limit", "", near(schema.MaxLatitude, 180, 20_040)},
		{"centre too far north", "filter.near.latitude: 85.0512", near(85.0512, 0, 1)},
		{"centre too far south", "filter.near.latitude: -86", near(-86, 0, 1)},
		{"centre beyond 180", "filter.near.longitude: 180.1", near(0, 180.1, 1)},
		{"no radius", "filter.near.radiusKm: 0 is out of range", near(0, 0, 0)},
		{"negative radius", "filter.near.radiusKm: -1", near(0, 0, -1)},
		{"radius beyond the earth", "filter.near.radiusKm: 20040.1", near(0, 0, 20_040.1)},
		{"no number", "filter.near.radiusKm: NaN", near(0, 0, math.NaN())},
		{"whole world", "", box(-90, -180, 90, 180)},
		{"south of north", "filter.within.south: south 2 is north of north 1", box(2, 0, 1, 0)},
		{"south beyond the pole", "filter.within.south: -91", box(-91, 0, 1, 0)},
		{"north beyond the pole", "filter.within.north: 91", box(0, 0, 91, 0)},
		{"west beyond 180", "filter.within.west: -181", box(0, -181, 1, 0)},
		{"east beyond 180", "filter.within.east: 181", box(0, 0, 1, 181)},
		{"no word", "filter.text: ", &search.Filter{Text: new("!!!")}},
		{"blank text", "", &search.Filter{Text: new("  ")}},
		{"17 words", "filter.text: ", &search.Filter{Text: new(strings.Repeat("a ", 17))}},
		{"16 words", "", &search.Filter{Text: new(strings.Repeat("a ", 16))}},
		{"long word", "filter.text: ", &search.Filter{Text: new(strings.Repeat("a", 65))}},
		{"in any", "filter.any[1].not.minLikes: -2", &search.Filter{Any: []*search.Filter{{}, {Not: &search.Filter{MinLikes: new(int64(-2))}}}}},
		{"nested 4", "", nest(4)},
		{"nested 5", "filter.any[0].any[0].any[0].any[0].any[0]: any and not are nested deeper than 4", nest(5)},
		{"25 filters", "", &search.Filter{Any: make([]*search.Filter, 24)}},
		{"1000 cases", "", multiplied(10, 100)},
		{"1010 cases", "filter: texts with OR and -, and any, multiply to more than 1000 cases", multiplied(10, 101)},
		{"10,000 values", "filter: texts with OR and -, and any, multiply to more than", &search.Filter{Text: multiplied(10, 1).Text, Any: multiplied(1, 10).Any, Not: &search.Filter{IDs: manyIDs(100)}}},
		{"many prefixes", "filter: texts with OR and -, and any, multiply", &search.Filter{Text: new("abc* OR abd* -x OR abe*"), Any: multiplied(1, 10).Any}},
		{"26 filters", "filter.any[24]: more than 25 filters", &search.Filter{Any: make([]*search.Filter, 25)}},
	} {
		err := tt.in.Check()
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if input := new(search.InputError); !errors.As(err, &input) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s…", tt.name, err, tt.want)
		}
	}
}

func manyIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(i + 1)
	}
	return ids
}

// multiplied returns a filter of a times b cases.
func multiplied(a, b int) *search.Filter {
	alternatives := func(n int) *string {
		return new(strings.TrimPrefix(strings.Repeat(" OR -a", n), " OR "))
	}
	f := &search.Filter{Text: alternatives(a)}
	for b > 0 {
		n := min(b, 8)
		f.Any = append(f.Any, &search.Filter{Text: alternatives(n)})
		b -= n
	}
	return f
}

// TestPagingCheck: arguments that exclude each other or are out of range.
func TestPagingCheck(t *testing.T) {
	store := search.New(open(t))
	cursor := func(f *search.Filter, o search.Order) *string {
		page, err := store.Tweets(deadline(t), search.Request{Filter: f, Order: o, Want: search.Want{Tweets: schema.AllParts}})
		if err != nil {
			t.Fatal(err)
		}
		at := schema.Time(1)
		return new(page.Cursor(&schema.Tweet{ID: "7", CreatedAt: &at}))
	}
	here := cursor(nil, search.Newest)
	for _, tt := range []struct {
		name, want string
		in         search.Request
	}{
		{"first and last", "last: first and last exclude", search.Request{First: new(1), Last: new(1)}},
		{"after and before", "before: after and before exclude", search.Request{After: here, Before: here}},
		{"offset and last", "offset: offset goes with first only", search.Request{Last: new(1), Offset: new(1)}},
		{"offset and after", "offset: offset goes", search.Request{After: here, Offset: new(1)}},
		{"offset and before", "offset: offset goes", search.Request{Before: here, Offset: new(0)}},
		{"first -1", "first: -1 is out of range: give 0 to 100", search.Request{First: new(-1)}},
		{"first 101", "first: 101", search.Request{First: new(101)}},
		{"last -1", "last: -1", search.Request{Last: new(-1)}},
		{"last 101", "last: 101", search.Request{Last: new(101)}},
		{"offset -1", "offset: -1", search.Request{Offset: new(-1)}},
		{"offset 10001", "offset: 10001 is out of range: give 0 to 10000", search.Request{Offset: new(10_001)}},
		{"offset 10000", "", search.Request{Offset: new(10_000)}},
		{"no cursor", "after: this is no cursor", search.Request{After: new("garbage")}},
		{"empty cursor", "before: this is no cursor", search.Request{Before: new("")}},
		{"cursor with a line end", "after: this is no cursor", search.Request{After: new(*here + "\n")}},
		{"cut cursor", "after: this", search.Request{After: new((*here)[:len(*here)-4])}},
		{"changed cursor", "after: this cursor is damaged", search.Request{After: new(otherAt(*here, 10))}},
		{"cursor of another order", "after: this cursor", search.Request{After: cursor(nil, search.Order{Field: search.OrderCreatedAt})}},
		{"cursor of another filter", "after: this cursor", search.Request{After: cursor(&search.Filter{Langs: []string{"en"}}, search.Newest)}},
		{"the same filter said otherwise", "", search.Request{
			Filter: &search.Filter{Hashtags: []string{"#B", "a", "b"}, Any: []*search.Filter{{Langs: []string{"EN"}}, {MinLikes: new(int64(1))}}},
			After:  cursor(&search.Filter{Hashtags: []string{"A", "b"}, Any: []*search.Filter{{MinLikes: new(int64(1))}, {Langs: []string{"en", "En"}}}}, search.Newest),
		}},
		{"text said otherwise", "", search.Request{
			Filter: &search.Filter{Text: new("Kelp forest")},
			After:  cursor(&search.Filter{Text: new(" forest  kelp")}, search.Newest),
		}},
	} {
		if tt.in.Order.Field == "" {
			tt.in.Order = search.Newest
		}
		_, err := store.Tweets(deadline(t), tt.in)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if input := new(search.InputError); !errors.As(err, &input) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s…", tt.name, err, tt.want)
		}
	}
}

// otherAt changes one letter of a cursor.
func otherAt(cursor string, i int) string {
	letter := "A"
	if cursor[i] == 'A' {
		letter = "B"
	}
	return cursor[:i] + letter + cursor[i+1:]
}

// TestForgedCursor: a cursor with a right sum and a value that no tweet can
// have is refused like any other damage.
func TestForgedCursor(t *testing.T) {
	store := search.New(open(t))
	for _, tt := range []struct {
		order search.OrderField
		value int64
		name  string
	}{
		{search.OrderLikes, -1, ""}, {search.OrderLikes, 1, "x"}, {search.OrderCreatedAt, 1 << 62, ""}, {search.OrderCreatedAt, -1 << 62, ""},
		{search.OrderUsername, 0, ""}, {search.OrderUsername, 7, "mira"},
	} {
		o := search.Order{Field: tt.order, Descending: true}
		cursor := search.ForgeCursor(o, tt.value, tt.name)
		_, err := store.Tweets(deadline(t), search.Request{Order: o, After: &cursor})
		if input := new(search.InputError); !errors.As(err, &input) || !strings.HasPrefix(err.Error(), "after: this cursor is damaged") {
			t.Errorf("%s with value %d %q: %v", tt.order, tt.value, tt.name, err)
		}
	}
}
