package source

import (
	"strings"
	"time"

	"visualizer/schema"
)

// parseTime reads a date as any of the formats writes it: RFC 3339, whatever
// its fraction and offset, or that of v1.1. What is finer than a millisecond
// is cut. It returns nil for anything else, and for the zero values of common
// languages, which somebody wrote out where a date was missing.
func parseTime(s string) *schema.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil && len(s) > 10 && (s[10] == ' ' || s[10] == 't') {
		at, err = time.Parse(time.RFC3339Nano, s[:10]+"T"+strings.ToUpper(s[11:]))
	}
	if err != nil {
		at, err = time.Parse(time.RubyDate, s)
	}
	at = at.UTC()
	if err != nil || at.IsZero() || at.UnixMilli() == 0 || at.Year() < 1 || at.Year() > 9999 {
		return nil
	}
	t := schema.TimeOf(at)
	return &t
}

// createdAt returns when the tweet was made, and whether only its id tells so.
func createdAt(s, id string) (at *schema.Time, derived bool) {
	if at := parseTime(s); at != nil {
		return at, false
	}
	if made, ok := schema.SnowflakeTime(id); ok {
		return &made, true
	}
	return nil, false
}
