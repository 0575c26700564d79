package web

import (
	"embed"
	"html"
	"net/http"
	"path"
	"strings"
)

//go:embed graphiql/index.html graphiql/*.js graphiql/*.css graphiql/*.txt
var files embed.FS

// policy lets a page load scripts from its own server only and talk to nothing
// else. GraphiQL sets style attributes and has its fonts and icons in data
// URLs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"font-src data:; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// GraphiQL serves the page /graphiql and its files below /graphiql/. The page
// sends queries to endpoint, a path or URL of the same origin, and opens
// subscriptions as WebSockets there.
func GraphiQL(endpoint string) http.Handler {
	page := readFile("index.html")
	page = []byte(strings.ReplaceAll(string(page), "{{endpoint}}", html.EscapeString(endpoint)))
	mux := http.NewServeMux()
	mux.Handle("GET /graphiql", newAsset("index.html", page))
	mux.Handle("GET /graphiql/{$}", http.RedirectHandler("/graphiql", http.StatusPermanentRedirect))
	for _, name := range fileNames() {
		mux.Handle("GET /graphiql/"+name, newAsset(name, readFile(name)))
	}
	return withPolicy(mux)
}

func withPolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// fileNames returns the names of the files that the page may ask for.
func fileNames() []string {
	entries, _ := files.ReadDir("graphiql") // in the binary: can't fail
	var names []string
	for _, entry := range entries {
		if entry.Name() != "index.html" {
			names = append(names, entry.Name())
		}
	}
	return names
}

func readFile(name string) []byte {
	body, _ := files.ReadFile(path.Join("graphiql", name)) // in the binary: can't fail
	return body
}
