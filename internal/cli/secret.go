package cli

import (
	"encoding"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// secretType is the value of the tag type that marks a secret.
const secretType = "secret"

// secret is a value that came from the environment itself, not from a file.
type secret string

func isSecret(v *kong.Value) bool { return v.Tag.Type == secretType }

// resolveSecret looks for the file's variable and for that of the secret
// itself.
func (s *settings) resolveSecret(flag, fileVariable string) (any, error) {
	direct := strings.TrimSuffix(fileVariable, fileSuffix)
	path, hasPath := s.env[fileVariable]
	value, hasValue := s.env[direct]
	switch {
	case hasPath && hasValue:
		return nil, fmt.Errorf("%s and %s are both set: keep one", direct, fileVariable)
	case hasPath:
		s.used[flag] = fileVariable
		return path, nil
	case hasValue:
		s.used[flag] = direct
		return secret(value), nil
	}
	return nil, nil
}

// decodeSecret fills a string, or what can unmarshal one, with a secret, without
// the white space around it. An empty one is refused: it would let everybody in, or nobody.
func decodeSecret(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("file")
	if err != nil {
		return err
	}
	text, from := "", "the value"
	switch v := token.Value.(type) {
	case secret:
		text = string(v)
	default:
		from = token.String()
		if text, err = readSecret(from); err != nil {
			return err
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return fmt.Errorf("%s is empty: put the secret there", from)
	}
	if t, ok := target.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(text))
	}
	target.SetString(text)
	return nil
}

func readSecret(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}
