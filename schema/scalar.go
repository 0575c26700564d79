package schema

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// Opt is a string of which "" means absent: JSON leaves it out and GraphQL
// shows null.
type Opt string

// MarshalGQL writes the string as JSON, or null when it is absent.
func (o Opt) MarshalGQL(w io.Writer) {
	if o == "" {
		io.WriteString(w, "null")
		return
	}
	b, _ := json.Marshal(string(o)) // a string always encodes
	w.Write(b)
}

// UnmarshalGQL reads a GraphQL string.
func (o *Opt) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("%T is not a string", v)
	}
	*o = Opt(s)
	return nil
}

// Time is a moment in milliseconds since 1970-01-01T00:00:00Z, the finest the
// stream knows. It is the GraphQL scalar DateTime.
type Time int64

// MinTime and MaxTime bound what RFC 3339 can say: the years 0 and 9999.
const (
	MinTime Time = -62_167_219_200_000
	MaxTime Time = 253_402_300_799_999
)

// DateTimeFormat is how a Time is shown: RFC 3339, exactly three fraction
// digits, UTC.
const DateTimeFormat = "2006-01-02T15:04:05.000Z"

// TimeOf cuts t to the millisecond.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

// Go returns t as a time.Time in UTC.
func (t Time) Go() time.Time { return time.UnixMilli(int64(t)).UTC() }

// String shows t in DateTimeFormat.
func (t Time) String() string { return t.Go().Format(DateTimeFormat) }

// MarshalGQL writes t as a JSON string in DateTimeFormat.
func (t Time) MarshalGQL(w io.Writer) { io.WriteString(w, `"`+t.String()+`"`) }

// UnmarshalGQL reads RFC 3339 with an offset and 0 to 9 fraction digits. A
// bare date is refused, since it has no offset. What is finer than a
// millisecond is rounded up: no tweet lies between that and the whole one, so
// that since and until mean what they say.
func (t *Time) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("%v is not a DateTime: give RFC 3339 in quotes, like \"2023-03-14T09:26:53Z\"", v)
	}
	at, err := parseDateTime(s)
	if err != nil {
		return err
	}
	*t = TimeOf(at.Add(time.Millisecond - 1))
	return nil
}

// maxFraction is the longest fraction of a second a DateTime may have.
const maxFraction = 9

// ParseDateTime reads s as the scalar DateTime does, but cuts what is finer than
// a millisecond.
func ParseDateTime(s string) (Time, error) {
	at, err := parseDateTime(s)
	if err != nil {
		return 0, err
	}
	return TimeOf(at), nil
}

func parseDateTime(s string) (time.Time, error) {
	given := s
	s = strings.ToUpper(s) // "t" and "z" are as good
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' || s[19] == ',' || fractionDigits(s) > maxFraction || strings.Contains(s, "+24:") || strings.Contains(s, "-24:") {
		return at, fmt.Errorf("%.40q is not a DateTime: give RFC 3339 with an offset, like 2023-03-14T09:26:53.000Z", given)
	}
	return at, nil
}

// fractionDigits counts the digits after the seconds' point of an RFC 3339
// string.
func fractionDigits(s string) int {
	const point = len("2006-01-02T15:04:05")
	if len(s) <= point || s[point] != '.' {
		return 0
	}
	n := 0
	for _, c := range s[point+1:] {
		if c < '0' || c > '9' {
			break
		}
		n++
	}
	return n
}
