package words

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"visualizer/schema"
)

// Problem says what is wrong with a search text, to the person who typed it.
type Problem struct{ Text string }

func (p *Problem) Error() string { return p.Text }

// Parse reads what a person typed. A blank text is none: it gives nil. Every
// other text is a query or a *Problem: one without a word, with more than
// schema.MaxQueryWords words, or with a word of more than schema.MaxWord code
// points.
//
// White space divides a text into chunks. What a chunk's words are, schema.Words
// says: one is a term, several are a phrase. Terms must all hold.
//
//   - "…" is a phrase; within it nothing is an operator. Quotes pair from left to
//     right wherever they stand. One without a partner is a sign, and one between
//     Hebrew letters is part of the word.
//   - OR, as a whole chunk, means that what stands before it or what stands
//     behind it holds. One without a term on either side is ignored; where there
//     is no term at all, it is the word "or".
//   - A hyphen before the first word or phrase of its chunk excludes that; only
//     signs stand before it or between.
//   - A star right behind the last word of a chunk, with only signs behind it,
//     makes that word a prefix when it has at least schema.MinPrefix code points.
//   - All else that is no word, parentheses as well, means nothing.
func Parse(text string) (*Query, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var p parser
	from := 0
	for pair := range slices.Chunk(quotes(text), 2) {
		if p.problem != nil {
			break
		}
		p.plain(text[from:pair[0]], true)
		p.add(Term{Words: schema.Words(text[pair[0]+1 : pair[1]])})
		from = pair[1] + 1
		p.inside = true
	}
	p.plain(text[from:], false)
	return p.query(text)
}

// quotes returns where the quotes stand that have a partner.
func quotes(text string) []int {
	var at []int
	before := rune(0)
	for i, r := range text {
		if r == '"' {
			after, _ := utf8.DecodeRuneInString(text[i+1:])
			if !unicode.Is(unicode.Hebrew, before) || !unicode.Is(unicode.Hebrew, after) {
				at = append(at, i)
			}
		}
		before = r
	}
	return at[:len(at)&^1]
}

// parser reads a text from left to right.
type parser struct {
	branches []Branch // the last one is being read
	divided  bool     // an OR waits for a term
	or       bool     // there was an OR
	words    int
	problem  *Problem // the first one

	inside  bool // the present chunk has begun
	worded  bool // it had a word
	exclude bool // it had a hyphen before any word
}

// plain reads a part of the text outside of quotes; quoted says that a quote
// follows.
func (p *parser) plain(text string, quoted bool) {
	for text != "" && p.problem == nil {
		if r, size := utf8.DecodeRuneInString(text); unicode.IsSpace(r) {
			p.inside, p.worded, p.exclude = false, false, false
			text = text[size:]
			continue
		}
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		if text[:end] == "OR" && !p.inside && !(quoted && end == len(text)) {
			p.or = true
			p.divided = len(p.branches) > 0
		} else {
			p.piece(text[:end])
		}
		p.inside = true
		text = text[end:]
	}
}

// piece reads a part of a chunk.
func (p *parser) piece(piece string) {
	if hyphen := strings.IndexByte(piece, '-'); hyphen >= 0 && !p.worded {
		p.exclude = p.exclude || len(schema.Words(piece[:hyphen])) == 0
	}
	if beginning, ok := starred(piece); ok {
		p.add(Term{Words: beginning, Prefix: true})
		return
	}
	p.add(Term{Words: schema.Words(piece)})
}

// starred returns the words of a piece of which the last is a prefix.
func starred(piece string) ([]string, bool) {
	star := strings.LastIndexByte(piece, '*')
	if star < 0 || len(schema.Words(piece[star:])) > 0 {
		return nil, false
	}
	head := strings.TrimRight(piece[:star], "*")
	words := schema.Words(head)
	if len(words) == 0 {
		return nil, false
	}
	last := words[len(words)-1]
	return words, strings.HasSuffix(schema.Fold(head), last) && utf8.RuneCountInString(last) >= schema.MinPrefix
}

// add adds a term to the present branch, or to a new one behind an OR.
func (p *parser) add(t Term) {
	if len(t.Words) == 0 {
		return
	}
	t.Exclude = p.exclude && !p.worded
	p.worded = true
	p.count(t.Words)
	if p.divided || len(p.branches) == 0 {
		p.branches = append(p.branches, nil)
		p.divided = false
	}
	last := &p.branches[len(p.branches)-1]
	if !slices.ContainsFunc(*last, t.equal) {
		*last = append(*last, t)
	}
}

func (t Term) equal(o Term) bool {
	return t.Prefix == o.Prefix && t.Exclude == o.Exclude && slices.Equal(t.Words, o.Words)
}

// count notes when words are too many or too long.
func (p *parser) count(words []string) {
	p.words += len(words)
	for _, w := range words {
		if p.problem == nil && utf8.RuneCountInString(w) > schema.MaxWord {
			p.problem = &Problem{fmt.Sprintf("the word %s has more than %d characters: search for its beginning with *", shown(w), schema.MaxWord)}
		}
	}
	if p.problem == nil && p.words > schema.MaxQueryWords {
		p.problem = &Problem{fmt.Sprintf("more than %d words, from %s on: search for fewer", schema.MaxQueryWords, shown(words[0]))}
	}
}

func (p *parser) query(text string) (*Query, error) {
	switch {
	case p.problem != nil:
		return nil, p.problem
	case len(p.branches) == 0 && p.or:
		return &Query{[]Branch{{{Words: []string{"or"}}}}}, nil
	case len(p.branches) == 0:
		return nil, &Problem{fmt.Sprintf("%s holds no word: search for a word, a number or an emoji", shown(text))}
	}
	return &Query{p.branches}, nil
}

// shown is a typed text as a message shows it.
func shown(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
