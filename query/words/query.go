package words

import (
	"slices"
	"strconv"
	"strings"
)

// Query is a search text: a tweet matches when it matches one of the branches.
// There is at least one.
type Query struct{ Branches []Branch }

// Branch is what stands between two OR: a tweet matches when each of its terms
// holds. There is at least one, and none twice.
type Branch []Term

// Term is a word, or a phrase when there are several.
type Term struct {
	Words   []string // folded, as schema.Words has them; at least one
	Prefix  bool     // the last word may go on
	Exclude bool     // the tweet must not hold it
}

// Match reports whether a text matches; words are its schema.Words.
func (q *Query) Match(words []string) bool {
	return slices.ContainsFunc(q.Branches, func(b Branch) bool {
		return !slices.ContainsFunc(b, func(t Term) bool { return t.in(words) == t.Exclude })
	})
}

// in reports whether words hold the term's, one behind the other.
func (t Term) in(words []string) bool {
	if len(t.Words) == 1 && !t.Prefix {
		return slices.Contains(words, t.Words[0])
	}
	for ; len(words) >= len(t.Words); words = words[1:] {
		if t.leads(words) {
			return true
		}
	}
	return false
}

// leads reports whether the first of words are the term's.
func (t Term) leads(words []string) bool {
	last := len(t.Words) - 1
	if !slices.Equal(words[:last], t.Words[:last]) {
		return false
	}
	if t.Prefix {
		return strings.HasPrefix(words[last], t.Words[last])
	}
	return words[last] == t.Words[last]
}

// Canonical returns a text that is the same for queries that ask the same but
// for the order of their parts, repeats, case and signs without meaning.
func (q *Query) Canonical() string {
	branches := make([]string, len(q.Branches))
	for i, b := range q.Branches {
		branches[i] = b.canonical()
	}
	slices.Sort(branches)
	return strings.Join(slices.Compact(branches), " OR ")
}

func (b Branch) canonical() string {
	terms := make([]string, len(b))
	for i, t := range b {
		terms[i] = t.String()
	}
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

// String returns the term as one would type it, each word quoted as in Go.
func (t Term) String() string {
	var b strings.Builder
	if t.Exclude {
		b.WriteByte('-')
	}
	for i, w := range t.Words {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(strconv.Quote(w))
	}
	if t.Prefix {
		b.WriteByte('*')
	}
	return b.String()
}
