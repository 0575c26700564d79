package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql/handler"
)

// TestKinds: HTTP with one answer takes each kind of operation by its methods.
func TestKinds(t *testing.T) {
	h := handler.New(newTicker())
	h.AddTransport(HTTP{})
	for _, tt := range []struct {
		method, query string
		status        int
		allow, says   string
	}{
		{"POST", "{ok}", 200, "", `{"data":{"ok":true}}`},
		{"GET", "{ok}", 200, "", `{"data":{"ok":true}}`},
		{"POST", "mutation{ok}", 200, "", `{"data":{"ok":true}}`},
		{"GET", "mutation{ok}", 405, "POST", "by POST"},
		{"POST", "subscription{silence}", 400, "", "WebSocket"},
		{"GET", "subscription{silence}", 400, "", "WebSocket"},
		{"DELETE", "{ok}", 405, "GET, POST", "GET or POST"},
	} {
		req := httptest.NewRequest(tt.method, "/?query="+tt.query, strings.NewReader(jsonOf(t, map[string]string{"query": tt.query})))
		req.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		if rec.Code != tt.status || rec.Header().Get("Allow") != tt.allow || !strings.Contains(rec.Body.String(), tt.says) {
			t.Errorf("%s %s: %d %v %s", tt.method, tt.query, rec.Code, rec.Header(), rec.Body)
		}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/?query=%zz", nil))
	if rec.Code != http.StatusBadRequest {
		t.Errorf("bad encoding: %d, want 400", rec.Code)
	}
}
