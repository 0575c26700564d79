package words

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"visualizer/schema"
)

// Clause is a term as FT.SEARCH reads it, in DIALECT 2 and with VERBATIM. Text
// can stand beside others: it is one factor.
type Clause struct {
	Text    string
	Exclude bool // the document must not match Text
}

// String returns the clause with its sign.
func (c Clause) String() string {
	if c.Exclude {
		return "-" + c.Text
	}
	return c.Text
}

// Clauses returns for each branch the clauses that must all hold. param adds a
// token to the query's PARAMS and returns its name; no token stands in a Text.
func (q *Query) Clauses(param func(token string) (name string)) [][]Clause {
	branches := make([][]Clause, len(q.Branches))
	for i, b := range q.Branches {
		for _, t := range b {
			branches[i] = append(branches[i], Clause{t.clause(param), t.Exclude})
		}
	}
	return branches
}

// clause returns the positive form of a term.
//
// A phrase is a union, also where one way would do: RediSearch merges a lone
// sequence with the factors beside it.
func (t Term) clause(param func(string) string) string {
	word := func(token string) string { return "@" + schema.FieldWords + ":$" + param(token) }
	if len(t.Words) == 1 {
		token, more := t.single()
		return word(token) + more
	}
	var ways []string
	for _, s := range append(t.from(false), t.from(true)...) {
		names := make([]string, len(s.tokens))
		for i, token := range s.tokens {
			names[i] = word(token)
		}
		way := strings.Join(names, " ")
		if s.prefix {
			way += "*"
		}
		ways = append(ways, fmt.Sprintf("((%s)=>{$slop:%d;$inorder:true})", way, s.slop))
	}
	return "(" + strings.Join(ways, "|") + ")"
}

// single returns the token of a term of one word, and "*" when it goes on.
func (t Term) single() (token, more string) {
	w := t.Words[0]
	switch {
	case !t.Prefix:
		return schema.WordToken(w), ""
	case schema.IsLong(w):
		return schema.StartToken(w), ""
	}
	return schema.WordToken(w), "*"
}

// sequence is tokens that stand in an index text in this order, with as many
// others between them as slop says.
type sequence struct {
	tokens []string
	prefix bool // the last one may go on
	slop   int
}

// from returns the ways in which an index text can hold a phrase that begins
// with the plain token of its first word, or with the other: see
// schema.IndexText. There is either, since equal words may stand before it.
//
// All tokens of a sequence differ from their neighbours, which RediSearch needs:
// it counts the tokens between two matches, and takes a token that matches two
// neighbours as -1.
func (t Term) from(again bool) []sequence {
	tokens := make([]string, len(t.Words))
	last := len(t.Words) - 1
	for i, w := range t.Words {
		if i > 0 {
			goesOn := w == t.Words[i-1] || t.Prefix && i == last && strings.HasPrefix(t.Words[i-1], w)
			again = goesOn && !again
		}
		tokens[i] = schema.WordToken(w)
		if again {
			tokens[i] = schema.AgainToken(w)
		}
	}
	if !t.Prefix {
		return []sequence{{tokens: tokens}}
	}
	prefix := t.Words[last]
	start := append(slices.Clone(tokens[:last]), schema.StartToken(prefix))
	// The text has a token for each shorter beginning before this one.
	ways := []sequence{{tokens: start, slop: utf8.RuneCountInString(prefix) - schema.MinPrefix}}
	if !schema.IsLong(prefix) {
		ways = append(ways, sequence{tokens: tokens, prefix: true})
	}
	return ways
}
