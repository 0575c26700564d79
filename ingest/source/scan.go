package source

import "visualizer/schema"

// verdict is what a scanner knows of a value.
type verdict uint8

const (
	more   verdict = iota // all right so far
	done                  // complete
	broken                // not JSON
	deep                  // nested beyond schema.MaxDepth
)

// scanner finds the end of a JSON value and sees at the first wrong byte that
// there is none. It may be given the value in pieces: each call of scan has
// all bytes so far, and goes on where the last one stopped.
//
// It takes what is JSON but for two things that the decoder mends: strings may
// hold any byte from 0x20 up, so that bad UTF-8 fails nothing, and NUL.
type scanner struct {
	pos int  // next byte to look at; behind the value when done
	nul bool // a string holds a NUL byte
	// oneLine refuses a value that goes on behind a line's end.
	oneLine bool

	state scanState
	hex   int    // digits that are missing in a \u escape
	key   bool   // the string is a member's name
	word  int    // where the number or literal began
	open  []byte // the closing brackets that are due
}

type scanState uint8

const (
	wantValue scanState = iota
	wantValueOrEnd
	wantName
	wantNameOrEnd
	wantColon
	wantComma
	inString
	inEscape
	inHex
	inWord
)

// scan looks at the bytes of v from pos on.
func (s *scanner) scan(v []byte) verdict {
	for s.pos < len(v) {
		r := more
		switch s.state {
		case inString:
			r = s.string(v)
		case inEscape, inHex:
			r = s.escape(v[s.pos])
		case inWord:
			r = s.endWord(v)
		default:
			r = s.token(v[s.pos])
		}
		if r != more {
			return r
		}
	}
	return more
}

// end returns the verdict when nothing follows v.
func (s *scanner) end(v []byte) verdict {
	if s.state == inWord && len(s.open) == 0 && validWord(v[s.word:]) {
		return done
	}
	return broken
}

// string passes over the inside of a string.
func (s *scanner) string(v []byte) verdict {
	for i := s.pos; i < len(v); i++ {
		switch c := v[i]; {
		case c == '"':
			s.pos = i + 1
			return s.endString()
		case c == '\\':
			s.pos, s.state = i+1, inEscape
			return more
		case c == 0:
			s.nul = true
		case c < 0x20:
			s.pos = i
			return broken
		}
	}
	s.pos = len(v)
	return more
}

func (s *scanner) endString() verdict {
	if s.key {
		s.key, s.state = false, wantColon
		return more
	}
	return s.endValue()
}

// endValue is called behind each value.
func (s *scanner) endValue() verdict {
	s.state = wantComma
	if len(s.open) == 0 {
		return done
	}
	return more
}

func (s *scanner) escape(c byte) verdict {
	s.pos++
	switch {
	case s.state == inHex:
		if !isHex(c) {
			s.pos--
			return broken
		}
		if s.hex--; s.hex == 0 {
			s.state = inString
		}
	case c == 'u':
		s.state, s.hex = inHex, 4
	case c == '"', c == '\\', c == '/', c == 'b', c == 'f', c == 'n', c == 'r', c == 't':
		s.state = inString
	default:
		s.pos--
		return broken
	}
	return more
}

// endWord passes over a number or literal, and judges it at its end.
func (s *scanner) endWord(v []byte) verdict {
	for i := s.pos; i < len(v); i++ {
		if !isWord(v[i]) {
			if !validWord(v[s.word:i]) {
				s.pos = s.word
				return broken
			}
			s.pos = i
			return s.endValue()
		}
	}
	s.pos = len(v)
	return more
}

// token takes a byte that is in no string, number or literal.
func (s *scanner) token(c byte) verdict {
	switch c {
	case '\n':
		if s.oneLine {
			return broken
		}
		fallthrough
	case ' ', '\t', '\r':
		s.pos++
		return more
	}
	switch s.state {
	case wantValue, wantValueOrEnd:
		return s.value(c)
	case wantName, wantNameOrEnd:
		if c == '"' {
			s.pos, s.key, s.state = s.pos+1, true, inString
			return more
		}
		if s.state == wantNameOrEnd {
			return s.close(c)
		}
	case wantColon:
		if c == ':' {
			s.pos, s.state = s.pos+1, wantValue
			return more
		}
	case wantComma:
		return s.comma(c)
	}
	return broken
}

func (s *scanner) value(c byte) verdict {
	switch {
	case c == '"':
		s.state = inString
	case c == '{':
		return s.nest('}', wantNameOrEnd)
	case c == '[':
		return s.nest(']', wantValueOrEnd)
	case isWord(c):
		s.state, s.word = inWord, s.pos
	case s.state == wantValueOrEnd:
		return s.close(c)
	default:
		return broken
	}
	s.pos++
	return more
}

func (s *scanner) nest(end byte, inner scanState) verdict {
	if len(s.open) >= schema.MaxDepth {
		return deep
	}
	s.open = append(s.open, end)
	s.pos, s.state = s.pos+1, inner
	return more
}

func (s *scanner) comma(c byte) verdict {
	if c != ',' {
		return s.close(c)
	}
	s.pos, s.state = s.pos+1, wantValue
	if s.open[len(s.open)-1] == '}' {
		s.state = wantName
	}
	return more
}

func (s *scanner) close(c byte) verdict {
	last := len(s.open) - 1
	if c != s.open[last] {
		return broken
	}
	s.open = s.open[:last]
	s.pos++
	return s.endValue()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// isWord reports whether c may stand in a number, true, false or null.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

func validWord(w []byte) bool {
	switch string(w) {
	case "true", "false", "null":
		return true
	}
	return validNumber(w)
}

// validNumber reports whether w is -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][-+]?[0-9]+)?
func validNumber(w []byte) bool {
	w = after(w, "-")
	digits := len(w) - len(afterDigits(w))
	if digits == 0 || w[0] == '0' && digits > 1 {
		return false
	}
	w = w[digits:]
	if rest := after(w, "."); len(rest) < len(w) {
		if w = afterDigits(rest); len(w) == len(rest) {
			return false
		}
	}
	if rest := after(w, "eE"); len(rest) < len(w) {
		rest = after(rest, "-+")
		if w = afterDigits(rest); len(w) == len(rest) {
			return false
		}
	}
	return len(w) == 0
}

// after cuts one byte of set off the front of w.
func after(w []byte, set string) []byte {
	if len(w) > 0 {
		for i := range len(set) {
			if w[0] == set[i] {
				return w[1:]
			}
		}
	}
	return w
}

func afterDigits(w []byte) []byte {
	for len(w) > 0 && w[0] >= '0' && w[0] <= '9' {
		w = w[1:]
	}
	return w
}
