package schema

import (
	"encoding/base64"
	"strings"
)

// encodedTag marks a tag value that stands in the index in another spelling.
const encodedTag = "\x02"

// maxTagBytes is the longest tag value that is indexed as it is.
const maxTagBytes = 1024

// TagValue returns how a value stands in a TAG field and in a query for it.
// RediSearch may trim white space around a tag, ends it at a NUL, cuts it when
// very long and reads a backslash in a query as an escape, so that two values
// could become one; such a value is encoded.
func TagValue(s string) string {
	if len(s) <= maxTagBytes && s == strings.TrimSpace(s) && !strings.HasPrefix(s, encodedTag) && !strings.ContainsAny(s, "\x00\\") {
		return s
	}
	return encodedTag + base64.RawURLEncoding.EncodeToString([]byte(s))
}
