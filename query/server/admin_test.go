package server_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"visualizer/internal/access"
	"visualizer/internal/line"
	"visualizer/internal/stack/stacktest"
	"visualizer/query/search"
	"visualizer/query/server"
	"visualizer/schema"
)

// TestMutations: who may stop the stream, by what a request says and where it
// comes from. Who may not changes nothing.
func TestMutations(t *testing.T) {
	redis := stacktest.Redis(t, stacktest.Start(t))
	const token = "s3cret"
	local, withToken, separate := server.Admin{Local: true}, server.Admin{Token: token, Local: true}, server.Admin{}
	const here, elsewhere, host = "127.0.0.1:5000", "192.0.2.7:5000", "localhost:8080"
	for _, c := range []struct {
		name       string
		admin      server.Admin
		peer, host string
		header     string
		want       bool
	}{
		{"local", local, here, host, "", true},
		{"local by IPv6", local, "[::1]:5000", "[::1]:8080", "", true},
		{"local by IPv4 in IPv6", local, "[::ffff:127.0.0.1]:5000", "127.0.0.1:8080", "", true},
		{"local by the name listened on", local, here, "Tweets.example:8080", "", true},
		{"local by a name below localhost", local, here, "page.localhost", "", true},
		{"elsewhere", local, elsewhere, host, "", false},
		{"elsewhere, saying it is local", local, elsewhere, host, "X-Forwarded-For: 127.0.0.1", false},
		{"a peer of no address", local, "@", host, "", false},
		{"another name that leads here", local, here, "evil.example:8080", "", false},
		{"a name that begins like one of ours", local, here, "localhost.evil.example", "", false},
		{"an address of another machine", local, here, "192.0.2.1:8080", "", false},
		{"no name", local, here, "", "", false},
		{"through a proxy: Forwarded", local, here, host, "Forwarded: for=192.0.2.7", false},
		{"through a proxy: Via", local, here, host, "Via: 1.1 proxy", false},
		{"through a proxy: X-Real-IP", local, here, host, "X-Real-IP: 192.0.2.7", false},
		{"through a proxy: X-Forwarded-Host", local, here, host, "X-Forwarded-Host: x", false},
		{"through a proxy: an empty X-Forwarded-For", local, here, host, "X-Forwarded-For:", false},
		{"a token where none is set", local, elsewhere, host, "Authorization: Bearer ", false},

		{"token", withToken, elsewhere, "any.example", "Authorization: Bearer " + token, true},
		{"token, scheme in small letters", withToken, elsewhere, host, "Authorization: bearer " + token, true},
		{"local without the token that is set", withToken, here, host, "", false},
		{"wrong token", withToken, here, host, "Authorization: Bearer s3cres", false},
		{"part of the token", withToken, here, host, "Authorization: Bearer s3c", false},
		{"more than the token", withToken, here, host, "Authorization: Bearer s3crets", false},
		{"another scheme", withToken, here, host, "Authorization: Basic " + token, false},
		{"the token alone", withToken, here, host, "Authorization: " + token, false},

		{"local, to a service of its own", separate, here, host, "", false},
		{"an empty token, to a service of its own", separate, here, host, "Authorization: Bearer ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := redis.Do(t.Context(), redis.B().Del().Key(schema.ControlKey).Build()).Error(); err != nil {
				t.Fatal(err)
			}
			h := server.New(server.Config{Access: access.Config{Hosts: access.Hosts{"tweets.example", "any.example"}},
				Store: search.New(redis), Stream: line.NewStream(redis), Admin: c.admin, Deadline: 10 * time.Second, Log: slog.New(slog.DiscardHandler),
			})
			req := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"mutation { stopStream { state } }"}`))
			req.RemoteAddr, req.Host = c.peer, c.host
			req.Header.Set("Content-Type", "application/json")
			if name, value, ok := strings.Cut(c.header, ":"); ok {
				req.Header.Add(name, strings.TrimLeft(value, " "))
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			var got struct {
				Data   *struct{ StopStream struct{ State string } }
				Errors []struct{ Extensions struct{ Code string } }
			}
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			control, err := line.Control(t.Context(), redis)
			if err != nil {
				t.Fatal(err)
			}
			code := ""
			if len(got.Errors) > 0 {
				code = got.Errors[0].Extensions.Code
			}
			switch {
			case c.want && (code != "" || got.Data == nil || got.Data.StopStream.State != "STOPPED" || !control.Stopped):
				t.Errorf("refused: %s", rec.Body)
			case !c.want && (code != "UNAUTHENTICATED" || got.Data != nil || control.Stopped):
				t.Errorf("not refused: %s", rec.Body)
			}
			if strings.Contains(rec.Body.String(), token) {
				t.Errorf("the answer tells the token: %s", rec.Body)
			}
		})
	}
}
