package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// own returns the names of the files in graphiql/ that are not vendored.
func own() []string { return []string{"index.html", "page.js", "page.css"} }

func request(t *testing.T, h http.Handler, method, path string, header map[string]string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGraphiQL(t *testing.T) {
	h := GraphiQL("/graphql")
	for _, tc := range []struct {
		method, path string
		status       int
		kind         string
		holds        string
	}{
		{"GET", "/graphiql", 200, "text/html; charset=utf-8", `data-endpoint="/graphql"`},
		{"HEAD", "/graphiql", 200, "text/html; charset=utf-8", ""},
		{"GET", "/graphiql/", 308, "text/html; charset=utf-8", "/graphiql"},
		{"GET", "/graphiql/graphiql.min.js", 200, "text/javascript; charset=utf-8", "GraphiQL"},
		{"GET", "/graphiql/graphiql.min.css", 200, "text/css; charset=utf-8", ".graphiql-container"},
		{"GET", "/graphiql/page.js", 200, "text/javascript; charset=utf-8", "tweets(first: 10)"},
		{"HEAD", "/graphiql/page.js", 200, "text/javascript; charset=utf-8", ""},
		{"GET", "/graphiql/react.LICENSE.txt", 200, "text/plain; charset=utf-8", "MIT License"},
		{"GET", "/graphiql/index.html", 404, "", ""},
		{"GET", "/graphiql/VENDORED.md", 404, "", ""},
		{"GET", "/graphiql/graphiql.min.js.map", 404, "", ""},
		{"GET", "/graphiql/../../asset.go", 307, "", ""},
		{"GET", "/graphiqlx", 404, "", ""},
		{"GET", "/", 404, "", ""},
		{"POST", "/graphiql", 405, "", ""},
		{"PUT", "/graphiql/page.js", 405, "", ""},
		{"OPTIONS", "/graphiql", 405, "", ""},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			resp := request(t, h, tc.method, tc.path, nil)
			text := body(t, resp)
			if resp.StatusCode != tc.status || !strings.Contains(text, tc.holds) {
				t.Errorf("%d %.80q, want %d %q", resp.StatusCode, text, tc.status, tc.holds)
			}
			if kind := resp.Header.Get("Content-Type"); tc.kind != "" && kind != tc.kind {
				t.Errorf("type %q, want %q", kind, tc.kind)
			}
			if tc.method == "HEAD" && text != "" {
				t.Errorf("HEAD has a body of %d bytes", len(text))
			}
			if tc.status == 405 && resp.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("allows %q", resp.Header.Get("Allow"))
			}
			checkGuards(t, resp.Header)
		})
	}
}

// checkGuards looks at what every answer carries.
func checkGuards(t *testing.T, h http.Header) {
	t.Helper()
	csp := h.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(csp, part) {
			t.Errorf("policy %q lacks %s", csp, part)
		}
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers %v", h)
	}
}

func TestGraphiQLEscapesTheEndpoint(t *testing.T) {
	text := body(t, request(t, GraphiQL(`/a"><script>`), "GET", "/graphiql", nil))
	if strings.Contains(text, `"><script>`) || !strings.Contains(text, `data-endpoint="/a&#34;&gt;&lt;script&gt;"`) {
		t.Error(text)
	}
}

func TestCompression(t *testing.T) {
	h := GraphiQL("/graphql")
	plain := body(t, request(t, h, "GET", "/graphiql/graphiql.min.js", nil))
	for _, tc := range []struct {
		accept string
		zipped bool
	}{
		{"", false},
		{"gzip, deflate, br", true},
		{"br;q=1.0, GZIP;q=0.8", true},
		{"gzip;q=0", false},
		{"gzip; q=0.000", false},
		{"identity", false},
		{"xgzip", false},
	} {
		resp := request(t, h, "GET", "/graphiql/graphiql.min.js", map[string]string{"Accept-Encoding": tc.accept})
		text := body(t, resp)
		if zipped := resp.Header.Get("Content-Encoding") == "gzip"; zipped != tc.zipped {
			t.Errorf("%q: zipped %v", tc.accept, zipped)
		}
		if tc.zipped {
			text = unzip(t, text)
		}
		if text != plain {
			t.Errorf("%q: another text of %d bytes", tc.accept, len(text))
		}
		if resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: varies by %q", tc.accept, resp.Header.Get("Vary"))
		}
	}
}

func unzip(t *testing.T, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRevalidation(t *testing.T) {
	h := GraphiQL("/graphql")
	for _, accept := range []string{"", "gzip"} {
		header := map[string]string{"Accept-Encoding": accept}
		first := request(t, h, "GET", "/graphiql", header)
		if first.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%q: caching %q", accept, first.Header.Get("Cache-Control"))
		}
		header["If-None-Match"] = first.Header.Get("ETag")
		if again := request(t, h, "GET", "/graphiql", header); again.StatusCode != http.StatusNotModified {
			t.Errorf("%q: %d for ETag %s", accept, again.StatusCode, header["If-None-Match"])
		}
		other := request(t, GraphiQL("/other"), "GET", "/graphiql", header)
		if other.StatusCode != http.StatusOK {
			t.Errorf("%q: %d for another page", accept, other.StatusCode)
		}
	}
}

// TestPageNamesOnlyFilesThatExist follows each reference of the page.
func TestPageNamesOnlyFilesThatExist(t *testing.T) {
	h := GraphiQL("/graphql")
	page := body(t, request(t, h, "GET", "/graphiql", nil))
	references := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(references) < 6 {
		t.Fatalf("found only %d references", len(references))
	}
	for _, ref := range references {
		if ref[1] == "data:," { // no icon
			continue
		}
		if resp := request(t, h, "GET", "/"+ref[1], nil); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", ref[1], resp.StatusCode)
		}
	}
}

// TestOwnFilesNameNoServer: no URL with a host, no inline script.
func TestOwnFilesNameNoServer(t *testing.T) {
	remote := regexp.MustCompile(`(?i)[a-z]+://|["'(]//|<script>|\son[a-z]+=|javascript:`)
	for _, name := range own() {
		if hit := remote.Find(readFile(name)); hit != nil {
			t.Errorf("%s holds %q", name, hit)
		}
	}
}

// TestStyleLoadsNothing: a remote font would be blocked, and seen in the
// console.
func TestStyleLoadsNothing(t *testing.T) {
	for _, url := range regexp.MustCompile(`(?i)url\(['"]?([^)]{0,20})|@import`).FindAllSubmatch(readFile("graphiql.min.css"), -1) {
		if !bytes.HasPrefix(url[1], []byte("data:")) {
			t.Errorf("graphiql.min.css loads %q", url[0])
		}
	}
	for _, name := range fileNames() {
		if bytes.Contains(readFile(name), []byte("sourceMappingURL")) {
			t.Errorf("%s asks for a source map", name)
		}
	}
}

// TestVendoredFiles compares the files with the list, both ways.
func TestVendoredFiles(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("graphiql", "VENDORED.md"))
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, name := range fileNames() {
		left[name] = true
	}
	for _, name := range own() {
		delete(left, name)
	}
	size := 0
	for _, row := range regexp.MustCompile(`(?m)^\| \S+ \| \S+ \| ([0-9a-f]{64}) \| (\S+) \|`).FindAllStringSubmatch(string(list), -1) {
		file := readFile(row[2])
		if sum := fmt.Sprintf("%x", sha256.Sum256(file)); sum != row[1] {
			t.Errorf("%s is %s, not as listed", row[2], sum)
		}
		delete(left, row[2])
		size += len(file)
	}
	if len(left) > 0 {
		t.Errorf("not in VENDORED.md: %v", left)
	}
	if size == 0 || size > 3<<20 {
		t.Errorf("vendored files have %d bytes", size)
	}
}
