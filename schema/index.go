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
	FieldID        = "id"
	FieldAuthorID  = "authorId"
	FieldUsername  = "username"
	FieldHashtags  = "hashtags"
	FieldLang      = "lang"
	FieldHasGeo    = "hasGeo"
	FieldCreatedAt = "createdAt"
	FieldSeq       = "seq"
	FieldLo        = "lo"
	FieldNulls     = "nulls"
)

// TweetPath is the JSON path of the tweet in a document.
const TweetPath = "$.t"

// IndexVersion grows by one with each change of IndexDefinition, or of what
// NewDocument writes for it. A service never takes an index away that a newer
// version made.
const IndexVersion = 1

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

// IndexDefinition returns the arguments of FT.CREATE behind the index's name.
//
// TAG is CASESENSITIVE because RediSearch folds ASCII only and values arrive
// folded. STOPWORDS 0, since a query that starts with two stop words can end
// the server. seq and lo are NOINDEX: they are read to order rows, never
// searched.
func IndexDefinition() []string {
	tag := func(path, name string, more ...string) []string {
		return append([]string{path, "AS", name, "TAG", "CASESENSITIVE"}, more...)
	}
	number := func(path, name string, more ...string) []string {
		return append([]string{path, "AS", name, "NUMERIC", "SORTABLE"}, more...)
	}
	def := []string{"ON", "JSON", "PREFIX", "1", TweetPrefix, "STOPWORDS", "0", "SCHEMA"}
	for _, field := range [][]string{
		tag("$.t.id", FieldID),
		tag("$.t.author.id", FieldAuthorID),
		tag("$.ix.username", FieldUsername, "SORTABLE", "UNF"),
		tag("$.ix.hashtags[*]", FieldHashtags),
		tag("$.ix.lang", FieldLang),
		tag("$.ix.hasGeo", FieldHasGeo),
		tag("$.ix.nulls[*]", FieldNulls),
		number("$.ix.createdAt", FieldCreatedAt),
		number("$.ix.seq", FieldSeq, "NOINDEX"),
		number("$.ix.lo", FieldLo, "NOINDEX"),
	} {
		def = append(def, field...)
	}
	return def
}
