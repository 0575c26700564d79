package schema

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// IndexAlias is the name that queries use. The index behind it has a name that
// tells its definition.
const IndexAlias = "tweets"

// HiddenIndex finds hidden documents by their author, for notices that concern
// all tweets of a user. No query of a client uses it.
const HiddenIndex = "hidden"

// HiddenIndexDefinition returns the arguments of FT.CREATE behind its name.
func HiddenIndexDefinition() []string {
	return []string{"ON", "JSON", "PREFIX", "1", HiddenPrefix, "STOPWORDS", "0", "SCHEMA",
		"$.t.author.id", "AS", FieldAuthorID, "TAG", "CASESENSITIVE"}
}

// Fields of the index, as they stand in queries.
const (
	FieldWords          = "words"
	FieldID             = "id"
	FieldAuthorID       = "authorId"
	FieldUsername       = "username"
	FieldHashtags       = "hashtags"
	FieldMentions       = "mentions"
	FieldLang           = "lang"
	FieldConversationID = "conversationId"
	FieldLinkHosts      = "linkHosts"
	FieldCountryCode    = "countryCode"
	FieldSource         = "source"
	FieldIs             = "is"
	FieldHasGeo         = "hasGeo"
	FieldNear           = "near"
	FieldLatitude       = "lat"
	FieldLongitude      = "lon"
	FieldNulls          = "nulls"

	// Sort keys.
	FieldCreatedAt    = "createdAt"
	FieldLikes        = "byLikes"
	FieldRetweets     = "byRetweets"
	FieldReplies      = "byReplies"
	FieldQuotes       = "byQuotes"
	FieldImpressions  = "byImpressions"
	FieldName         = "byUsername"
	FieldNameSecond   = "thenUsername"
	FieldUsernameRest = "usernameRest"
	FieldSeq          = "seq"
	FieldLo           = "lo"
	FieldObserved     = "observed"
	FieldPlace        = "place"
)

// TweetPath is the JSON path of the tweet in a document.
const TweetPath = "$.t"

// IndexVersion grows by one with each change of IndexDefinition, or of what
// NewDocument writes for it. A service never takes an index away that a newer
// version made.
const IndexVersion = 2

// IndexName is the name of the index with the present definition.
func IndexName() string {
	h := fnv.New32a()
	for _, a := range IndexDefinition() {
		fmt.Fprintf(h, "%q", a)
	}
	return fmt.Sprintf("%s:%d:%08x", IndexAlias, IndexVersion, h.Sum32())
}

// VersionOfIndex returns the version in an index's name; 0 when it tells none.
func VersionOfIndex(name string) int {
	parts := strings.Split(name, ":")
	if len(parts) != 3 || parts[0] != IndexAlias {
		return 0
	}
	version, _ := strconv.Atoi(parts[1])
	return version
}

// IndexOptions returns what an index of documents whose keys begin with prefix
// says before its fields. STOPWORDS 0, since a query that starts with two stop
// words can end the server; no data for highlighting and for scores, which
// nothing asks for.
func IndexOptions(prefix string) []string {
	return []string{"ON", "JSON", "PREFIX", "1", prefix, "NOHL", "NOFREQS", "STOPWORDS", "0", "SCHEMA"}
}

// WordsField is FieldWords at a path where documents have an IndexText. NOSTEM:
// a word is found as it is written.
func WordsField(path string) []string { return []string{path, "AS", FieldWords, "TEXT", "NOSTEM"} }

// IndexDefinition returns the arguments of FT.CREATE behind the index's name.
//
// TAG is CASESENSITIVE because RediSearch folds ASCII only and values arrive
// folded. What is NOINDEX is read to order rows, never searched. Only
// username needs its SORTABLE for no query of ours: with it a plain FT.SEARCH
// can be compared.
func IndexDefinition() []string {
	tag := func(path, name string, more ...string) []string {
		return append([]string{path, "AS", name, "TAG", "CASESENSITIVE"}, more...)
	}
	number := func(path, name string, more ...string) []string {
		return append([]string{path, "AS", name, "NUMERIC"}, more...)
	}
	key := func(name string, more ...string) []string {
		return number("$.ix."+name, name, append([]string{"SORTABLE"}, more...)...)
	}
	def := IndexOptions(TweetPrefix)
	for _, field := range [][]string{
		WordsField("$.ix.words"),
		tag("$.t.id", FieldID),
		tag("$.t.author.id", FieldAuthorID),
		tag("$.ix.username", FieldUsername, "SORTABLE", "UNF"),
		tag("$.ix.hashtags[*]", FieldHashtags),
		tag("$.ix.mentions[*]", FieldMentions),
		tag("$.ix.lang", FieldLang),
		tag("$.ix.conversationId", FieldConversationID),
		tag("$.ix.linkHosts[*]", FieldLinkHosts),
		tag("$.ix.countryCode", FieldCountryCode),
		tag("$.ix.source", FieldSource),
		tag("$.ix.is[*]", FieldIs),
		tag("$.ix.hasGeo", FieldHasGeo),
		{"$.ix.near", "AS", FieldNear, "VECTOR", "FLAT", "6", "TYPE", "FLOAT64", "DIM", "3", "DISTANCE_METRIC", "L2"},
		number("$.ix.lat", FieldLatitude),
		number("$.ix.lon", FieldLongitude),
		tag("$.ix.nulls[*]", FieldNulls),
		key(FieldCreatedAt),
		key(FieldLikes),
		key(FieldRetweets),
		key(FieldReplies),
		key(FieldQuotes),
		key(FieldImpressions),
		key(FieldName),
		key(FieldNameSecond),
		tag("$.ix.usernameRest", FieldUsernameRest, "SORTABLE", "UNF", "NOINDEX"),
		key(FieldSeq),
		key(FieldLo, "NOINDEX"),
		key(FieldObserved, "NOINDEX"),
		key(FieldPlace, "NOINDEX"),
	} {
		def = append(def, field...)
	}
	return def
}
