package search

import (
	"slices"
	"strings"

	"visualizer/schema"
)

// condition is a set of tag values of one index field, of which a tweet must
// have one, or none when lacks is set.
type condition struct {
	name   string // as in the API
	field  string // of the index
	values []string
	has    func(*schema.Tweet) []string // the tweet's own values, folded
	lacks  bool
	flag   bool // it is about what tweets have or have not, see flags
}

// holds reports whether a tweet fulfils the condition.
func (c *condition) holds(t *schema.Tweet) bool {
	found := slices.ContainsFunc(c.has(t), func(v string) bool {
		_, ok := slices.BinarySearch(c.values, v)
		return ok
	})
	return found != c.lacks
}

// listed is a list of the API and what its values mean.
type listed struct {
	name, field string
	values      []string
	canonical   func(string) string
	has         func(*schema.Tweet) []string
}

// lists returns the lists of the API, given or not. A tweet must have each value
// of the last one, and any of the others.
func (f *Filter) lists() []listed {
	return []listed{
		{"ids", schema.FieldID, f.IDs, validID, tweetID},
		{"authorIds", schema.FieldAuthorID, f.AuthorIDs, validID, authorID},
		{"usernames", schema.FieldUsername, f.Usernames, username, authorUsername},
		{"hashtags", schema.FieldHashtags, f.Hashtags, hashtag, hashtags},
		{"mentions", schema.FieldMentions, f.Mentions, username, mentions},
		{"langs", schema.FieldLang, f.Langs, schema.Fold, lang},
		{"types", schema.FieldIs, f.types(), asIs, types},
		{"conversationId", schema.FieldConversationID, one(f.ConversationID), asIs, conversation},
		{"linkHosts", schema.FieldLinkHosts, f.LinkHosts, schema.LinkHost, (*schema.Tweet).LinkHosts},
		{"countryCodes", schema.FieldCountryCode, f.CountryCodes, schema.Fold, country},
		{"sources", schema.FieldSource, f.Sources, asIs, source},
		{allHashtags, schema.FieldHashtags, f.AllHashtags, hashtagOrNothing, hashtags},
	}
}

const allHashtags = "allHashtags"

// conditions returns what the given lists and flags ask for, values in canonical
// form: folded, sorted, each once, those that can't match left out.
func (f *Filter) conditions() []condition {
	var given []condition
	for _, l := range f.lists() {
		values := keep(l.values, l.canonical)
		switch {
		case values == nil:
		case l.name == allHashtags:
			for tag := range slices.Chunk(values, 1) {
				given = append(given, condition{name: l.name, field: l.field, values: tag, has: l.has})
			}
		default:
			given = append(given, condition{name: l.name, field: l.field, values: values, has: l.has})
		}
	}
	return append(given, f.flags()...)
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

func one(value *string) []string {
	if value == nil {
		return nil
	}
	return []string{*value}
}

func (f *Filter) types() []string {
	if f.Types == nil {
		return nil
	}
	out := make([]string, len(f.Types))
	for i, t := range f.Types {
		out[i] = string(t)
	}
	return out
}

func validID(s string) string {
	if schema.ValidID(s) {
		return s
	}
	return ""
}

func asIs(s string) string     { return s }
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

func some(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

func tweetID(t *schema.Tweet) []string { return []string{t.ID} }

func authorID(t *schema.Tweet) []string {
	if t.Author == nil {
		return nil
	}
	return some(t.Author.ID)
}

func authorUsername(t *schema.Tweet) []string { return some(t.FoldedUsername()) }

func hashtags(t *schema.Tweet) []string { return schema.FoldAll(t.Hashtags) }

func mentions(t *schema.Tweet) []string {
	var names []string
	for _, m := range t.Mentions {
		names = append(names, some(schema.Fold(string(m.Username)))...)
	}
	return names
}

func lang(t *schema.Tweet) []string { return some(schema.Fold(string(t.Lang))) }

func types(t *schema.Tweet) []string {
	var out []string
	for _, k := range t.Types() {
		out = append(out, string(k))
	}
	return out
}

func conversation(t *schema.Tweet) []string { return some(string(t.ConversationID)) }

func country(t *schema.Tweet) []string {
	if t.Place == nil {
		return nil
	}
	return some(schema.Fold(string(t.Place.CountryCode)))
}

func source(t *schema.Tweet) []string { return some(string(t.Source)) }
