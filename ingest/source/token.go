package source

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
)

// Token is a bearer token. It never shows itself: not in a log, an error or an
// encoding, and not as a part of a printed struct, whose fields fmt reads by
// reflection; so the secret is held by a function.
type Token struct{ reveal func() string }

// NewToken returns the token with this secret. Blanks around it, such as the
// end of a file's line, are no part of it.
func NewToken(secret string) (Token, error) {
	secret = strings.TrimSpace(secret)
	if secret == "" {
		return Token{}, errors.New("read bearer token: it is empty: give the app's bearer token")
	}
	if strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Token{}, errors.New("read bearer token: it has characters that no header can hold: give the token alone")
	}
	return Token{func() string { return secret }}, nil
}

const redacted = "[redacted]"

// String hides the secret.
func (Token) String() string { return redacted }

// GoString hides the secret.
func (Token) GoString() string { return redacted }

// MarshalText hides the secret.
func (Token) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue hides the secret.
func (Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// Set reports whether there is a token.
func (t Token) Set() bool { return t.reveal != nil }

// UnmarshalText takes the secret, as NewToken does.
func (t *Token) UnmarshalText(secret []byte) (err error) {
	*t, err = NewToken(string(secret))
	return err
}

// header returns the value of an Authorization header, or "" without a token.
func (t Token) header() string {
	if t.reveal == nil {
		return ""
	}
	return "Bearer " + t.reveal()
}

// in reports whether the secret stands in b.
func (t Token) in(b []byte) bool {
	return t.reveal != nil && bytes.Contains(b, []byte(t.reveal()))
}

// redact hides the secret in a text from outside, which may echo it.
func (t Token) redact(s string) string {
	if t.reveal == nil {
		return s
	}
	return strings.ReplaceAll(s, t.reveal(), redacted)
}
