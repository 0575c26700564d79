package search

import (
	"fmt"
	"slices"
	"strings"

	"visualizer/schema"
)

// maxValues is the longest list in a filter.
const maxValues = 100

// Filter says which tweets belong to an answer. A nil list is not given; an
// empty one matches nothing, except AllHashtags, which then asks for nothing.
// All parts given must hold. It is the GraphQL input TweetFilter.
type Filter struct {
	IDs         []string
	AuthorIDs   []string
	Usernames   []string
	Hashtags    []string // any
	AllHashtags []string
	Langs       []string
	Since       *schema.Time // inclusive
	Until       *schema.Time // exclusive
}

// InputError is a value that a client gave and that has no meaning. Path leads
// to it from the field's arguments; Problem says what is wrong with it.
type InputError struct {
	Path    []string
	Problem string
}

func (e *InputError) Error() string { return strings.Join(e.Path, ".") + ": " + e.Problem }

func inputError(problem string, path ...string) error {
	return &InputError{Path: path, Problem: problem}
}

// Check returns an *InputError for a filter without meaning.
func (f *Filter) Check() error {
	if f == nil {
		return nil
	}
	for name, list := range map[string][]string{
		"ids": f.IDs, "authorIds": f.AuthorIDs, "usernames": f.Usernames,
		"hashtags": f.Hashtags, "allHashtags": f.AllHashtags, "langs": f.Langs,
	} {
		if len(list) > maxValues {
			return inputError(fmt.Sprintf("%d values: at most %d are allowed", len(list), maxValues), "filter", name)
		}
	}
	if f.Since != nil && f.Until != nil && *f.Since > *f.Until {
		return inputError(fmt.Sprintf("since %s is after until %s", f.Since, f.Until), "filter", "since")
	}
	return nil
}

// condition is a set of folded tag values of one index field, of which a tweet
// must have one.
type condition struct {
	name   string // as in the API
	field  string // of the index
	values []string
	has    func(*schema.Tweet) []string // the tweet's own values, folded
}

// lists returns the conditions that were given, values in canonical form:
// folded, sorted, each once, those that can't match left out.
func (f *Filter) lists() []condition {
	all := []condition{
		{"ids", schema.FieldID, keep(f.IDs, validID), tweetID},
		{"authorIds", schema.FieldAuthorID, keep(f.AuthorIDs, validID), authorID},
		{"usernames", schema.FieldUsername, keep(f.Usernames, username), authorUsername},
		{"hashtags", schema.FieldHashtags, keep(f.Hashtags, hashtag), hashtags},
		{"langs", schema.FieldLang, keep(f.Langs, schema.Fold), lang},
	}
	given := slices.DeleteFunc(all, func(c condition) bool { return c.values == nil })
	for _, tag := range keep(f.AllHashtags, hashtagOrNothing) {
		given = append(given, condition{"allHashtags", schema.FieldHashtags, []string{tag}, hashtags})
	}
	return given
}

// keep maps values to their canonical form. A nil list stays nil, any other is
// not nil even when nothing is left.
func keep(values []string, canonical func(string) string) []string {
	if values == nil {
		return nil
	}
	out := make([]string, 0, len(values))
	for _, v := range values {
		if c := canonical(v); c != "" {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func validID(s string) string {
	if schema.ValidID(s) {
		return s
	}
	return ""
}

func username(s string) string { return schema.Fold(strings.TrimPrefix(s, "@")) }
func hashtag(s string) string  { return schema.Fold(strings.TrimPrefix(s, "#")) }

// impossible is no tweet's hashtag: folding leaves no NUL in one.
const impossible = "\x00"

// hashtagOrNothing keeps a blank value as one that no tweet has, since each
// value of allHashtags must be there.
func hashtagOrNothing(s string) string {
	if h := hashtag(s); h != "" {
		return h
	}
	return impossible
}

func tweetID(t *schema.Tweet) []string { return []string{t.ID} }

func authorID(t *schema.Tweet) []string {
	if t.Author == nil {
		return nil
	}
	return []string{t.Author.ID}
}

func authorUsername(t *schema.Tweet) []string {
	if t.Author == nil || t.Author.Username == "" {
		return nil
	}
	return []string{schema.Fold(string(t.Author.Username))}
}

func hashtags(t *schema.Tweet) []string { return schema.FoldAll(t.Hashtags) }

func lang(t *schema.Tweet) []string {
	if t.Lang == "" {
		return nil
	}
	return []string{schema.Fold(string(t.Lang))}
}

// Match reports whether a tweet belongs to the answer: what FT.SEARCH must
// agree with.
func (f *Filter) Match(t *schema.Tweet) bool {
	if f == nil {
		return true
	}
	for _, c := range f.lists() {
		if !slices.ContainsFunc(c.has(t), func(v string) bool { return slices.Contains(c.values, v) }) {
			return false
		}
	}
	if f.Since == nil && f.Until == nil {
		return true
	}
	return t.CreatedAt != nil &&
		(f.Since == nil || *t.CreatedAt >= *f.Since) &&
		(f.Until == nil || *t.CreatedAt < *f.Until)
}

// canonical is equal for two filters just when they ask the same: the order of
// values, their case and what is not given make no difference.
func (f *Filter) canonical() string {
	if f == nil {
		return ""
	}
	var b strings.Builder
	for _, c := range f.lists() {
		fmt.Fprintf(&b, "%s%q", c.name, c.values)
	}
	if f.Since != nil {
		fmt.Fprintf(&b, "since%d", *f.Since)
	}
	if f.Until != nil {
		fmt.Fprintf(&b, "until%d", *f.Until)
	}
	return b.String()
}
