package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// asset is a file that never changes while the program runs. Browsers keep it
// and ask by its ETag whether it is still good.
type asset struct {
	kind  string
	tag   string // of the plain body, without quotes
	plain []byte
	// zipped compresses once, when first asked for, and is nil where that
	// saves nothing.
	zipped func() []byte
}

// newAsset takes the type from the ending of name.
func newAsset(name string, body []byte) *asset {
	sum := sha256.Sum256(body)
	return &asset{
		kind:   contentType(name),
		tag:    fmt.Sprintf("%x", sum[:12]),
		plain:  body,
		zipped: sync.OnceValue(func() []byte { return zip(body) }),
	}
}

// contentType does without the table of the machine, which differs.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

func zip(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	// A bytes.Buffer takes every write.
	_, _ = w.Write(body)
	_ = w.Close()
	if out.Len() >= len(body) {
		return nil
	}
	return out.Bytes()
}

func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	body, tag := a.plain, a.tag
	if zipped := a.zipped(); zipped != nil && takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, tag = zipped, tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// takesGzip reports whether the client accepts gzip by name.
func takesGzip(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(header, ",") {
			name, weight, _ := strings.Cut(coding, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				return !isZero(weight)
			}
		}
	}
	return false
}

// isZero reports whether a weight such as q=0 or q=0.000 refuses.
func isZero(weight string) bool {
	value, ok := strings.CutPrefix(strings.TrimSpace(weight), "q=")
	return ok && strings.Trim(value, "0.") == ""
}
