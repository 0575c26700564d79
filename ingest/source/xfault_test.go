package source

import (
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"visualizer/schema"
)

// hijacked takes the connection over, and closes it.
func hijacked(w http.ResponseWriter, do func(*net.TCPConn)) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	do(conn.(*net.TCPConn))
	conn.Close()
}

// raw answers with bytes that need not be HTTP.
func raw(text string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		hijacked(w, func(conn *net.TCPConn) { fmt.Fprint(conn, text) })
	}
}

// gzipped sends parts compressed, cut before the end.
func gzipped(parts ...string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for _, part := range parts {
			fmt.Fprint(z, part)
			z.Flush()
			w.(http.Flusher).Flush()
		}
	}
}

// wideLine is a line of a tweet with so many bytes beside what is kept of it.
func wideLine(id, size int) string {
	return fmt.Sprintf(`{"data":{"id":"%d","text":"a","unknown":"%s"}}`+"\r\n", id, strings.Repeat("x", size))
}

// Whatever a server does, each tweet that it sent whole comes, in order, and
// once; each trouble is told by its kind, and the token by none of them.
func TestXMisbehaviour(t *testing.T) {
	echo := "no " + canary
	answers := []answer{
		send(tweetLine(1)+tweetLine(2), tweetLine(3)[:9], tweetLine(3)[9:]),
		send(wideLine(4, 5<<20), tweetLine(5)),
		send(tweetLine(6), tweetLine(7)[:20]), // half a line
		gzipped(tweetLine(7), tweetLine(8)+tweetLine(9)),
		send(tweetLine(10), `{"errors":[{"title":"operational-disconnect","disconnect_type":"UpstreamOperationalDisconnect","detail":"`+echo+`","type":"https://api.x.com/2/problems/operational-disconnect"}]}`+"\r\n"),
		status(200, "text/html", "<html>"+echo),
		status(200, "application/json", "<html>\n<body>\n"+echo),
		status(503, "text/plain", echo),
		status(503, "application/json", `{"title":"Service Unavailable","detail":"`+echo+`"}`),
		status(429, "application/problem+json", `{"title":"ConnectionException","detail":"`+echo+`","connection_issue":"TooManyConnections","type":"https://api.x.com/2/problems/streaming-connection"}`),
		status(409, "application/json", `{"title":"Conflict"}`),
		status(200, "application/json", `{"title":"ConnectionException","detail":"d","connection_issue":"RulesInvalidIssue","type":"https://api.x.com/2/problems/streaming-connection"}`),
		raw("HTTP/1.1 " + canary + "\r\n\r\n"),
		raw("HTTP/1.1 500 " + canary + "\r\nContent-Length: 0\r\n\r\n"),
		status(200, "application/json", "x", "Content-Encoding", canary),
		status(302, "", "", "Location", "http://"+canary+".invalid/"),
		hangUp,
		send(tweetLine(11), `{"broken `+canary+"\r\n"),
		send(tweetLine(12)),
	}
	c := newClient(t, server(t, answers...).URL)
	var ids, shown []string
	o := newOutcome()
	for e, err := range c.Events(t.Context()) {
		o.take(e, err)
		if err != nil {
			shown = append(shown, err.Error(), string(err.(*Rejected).Raw))
		}
		if e.Tweet != nil {
			ids = append(ids, e.Tweet.ID)
		}
		if e.Tweet != nil && e.Tweet.ID == "12" {
			break
		}
	}
	same(t, "tweets", ids, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"})
	same(t, "rejects", o.rejected, map[schema.Reason]int{schema.BadJSON: 2})
	var problems []string
	for _, err := range c.errs {
		problems = append(problems, err.(*Down).Problem)
		shown = append(shown, err.Error())
	}
	same(t, "problems", problems, []string{
		"closed", "closed", "closed", "network", "UpstreamOperationalDisconnect", "no_stream", "no_stream", "http_503", "http_503",
		"TooManyConnections", "http_409", "RulesInvalidIssue", "network", "http_500", "damaged", "no_stream", "network", "closed",
	})
	if i := slices.IndexFunc(shown, func(s string) bool { return strings.Contains(s, canary) }); i >= 0 {
		t.Errorf("the token is shown: %s", shown[i])
	}
	checkNoCanary(t, c)
}

// A connection that is reset is like one that ends, but that half a line is no
// record: the reset has been told.
func TestXReset(t *testing.T) {
	read := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		write(w, tweetLine(1), tweetLine(2), tweetLine(3)[:20])
		<-read
		hijacked(w, func(conn *net.TCPConn) { conn.SetLinger(0) })
	}, send(tweetLine(3)))
	c := newClient(t, s.URL)
	o := c.take(t, 3, func(e schema.Event) bool {
		if e.Tweet != nil && e.Tweet.ID == "2" {
			close(read)
		}
		return true
	})
	if d := c.errs[0].(*Down); d.Problem != downNetwork || !strings.Contains(d.Error(), "reset by peer") || len(c.clock.slept) > 0 || len(o.rejected) > 0 {
		t.Errorf("%s: %v, waits %v, rejects %v", d.Problem, d, c.clock.slept, o.rejected)
	}
}

// The token doesn't go to a proxy that could read it.
func TestXProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.invalid:1")
	t.Setenv("HTTPS_PROXY", "http://proxy.invalid:1")
	for u, want := range map[string]bool{"http://x.example/": false, "https://x.example/": true} {
		req, err := http.NewRequest(http.MethodGet, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		if proxy, err := proxy(req); err != nil || (proxy != nil) != want {
			t.Errorf("proxy for %s is %v, %v", u, proxy, err)
		}
	}
}
