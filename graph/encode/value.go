package encode

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"visualizer/schema"
)

func null(b []byte) []byte { return append(b, "null"...) }

// comma goes in front of all elements of a list but the first.
func comma(b []byte, i int) []byte {
	if i == 0 {
		return b
	}
	return append(b, ',')
}

func text(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // what is no UTF-8 is replaced
	return b
}

func opt(b []byte, o schema.Opt) []byte {
	if o == "" {
		return null(b)
	}
	return text(b, string(o))
}

func texts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		b = text(comma(b, i), s)
	}
	return append(b, ']')
}

func long(b []byte, n *int64) []byte {
	if n == nil {
		return null(b)
	}
	return strconv.AppendInt(b, *n, 10)
}

func boolean(b []byte, v *bool) []byte {
	if v == nil {
		return null(b)
	}
	return strconv.AppendBool(b, *v)
}

// float writes a number of a stored document, where JSON has none that is not
// finite.
func float(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'g', -1, 64) }

// floats writes a list that may be missing.
func floats(b []byte, list []float64) []byte {
	if list == nil {
		return null(b)
	}
	b = append(b, '[')
	for i, f := range list {
		b = float(comma(b, i), f)
	}
	return append(b, ']')
}

func moment(b []byte, t *schema.Time) []byte {
	if t == nil {
		return null(b)
	}
	b = append(b, '"')
	b = t.Go().AppendFormat(b, schema.DateTimeFormat)
	return append(b, '"')
}
