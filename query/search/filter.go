package search

import (
	"fmt"
	"strings"

	"visualizer/schema"
)

// Limits of a filter.
const (
	maxValues   = 100    // of a list
	maxNesting  = 4      // of any and not
	maxFilters  = 25     // in all
	maxRadiusKm = 20_040 // half of the equator
)

// Filter says which tweets belong to an answer. A nil part is not given; all
// that are given must hold. An empty list matches nothing, except AllHashtags,
// which then asks for nothing. It is the GraphQL input TweetFilter.
type Filter struct {
	Text           *string
	IDs            []string
	AuthorIDs      []string
	Usernames      []string
	Hashtags       []string // any
	AllHashtags    []string
	Mentions       []string // usernames, any
	Langs          []string
	Types          []schema.TweetType
	ConversationID *string
	Since          *schema.Time // inclusive
	Until          *schema.Time // exclusive
	HasLocation    *bool
	HasMedia       *bool
	HasLinks       *bool
	LinkHosts      []string
	CountryCodes   []string
	Sources        []string
	Near           *Circle
	Within         *Box
	MinLikes       *int64
	MinRetweets    *int64
	MinReplies     *int64
	MinQuotes      *int64
	MinImpressions *int64
	Any            []*Filter
	Not            *Filter
}

// Circle is the part of the earth around a point, its edge included. It is the
// GraphQL input NearInput.
type Circle struct{ Latitude, Longitude, RadiusKm float64 }

// Box is the part of the earth between two meridians and two parallels, in
// degrees, its edges included. West of more than East crosses 180°. It is the
// GraphQL input WithinInput.
type Box struct{ South, West, North, East float64 }

// InputError is a value that a client gave and that has no meaning. Path leads
// to it from the field's arguments, by names and places in lists; Problem says
// what is wrong with it.
type InputError struct {
	Path    []any
	Problem string
}

func (e *InputError) Error() string {
	var b strings.Builder
	for i, p := range e.Path {
		switch p := p.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", p)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, p)
		}
	}
	return b.String() + ": " + e.Problem
}

func inputError(problem string, path ...any) error {
	return &InputError{Path: path, Problem: problem}
}

// Check returns an *InputError for a filter without meaning.
func (f *Filter) Check() error {
	_, err := NewPredicate(f)
	return err
}

// Match reports whether a tweet belongs to the answer: what FT.SEARCH must
// agree with. A filter without meaning matches nothing. For many tweets make a
// Predicate once.
func (f *Filter) Match(t *schema.Tweet) bool {
	p, err := NewPredicate(f)
	return err == nil && p.Match(NewCandidate(t))
}
