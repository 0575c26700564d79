package k6_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"visualizer/bench/k6"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// short is a load that is over in a third of a second.
const short = "100ms:2,200ms:2"

// request is one of both scripts.
type request struct {
	Variables map[string]any `json:"variables"`
	Commands  [][]string     `json:"commands"`
	IDs       []string       `json:"ids,omitempty"`
	Usernames []string       `json:"usernames,omitempty"`
}

// standard has a script send its own request.
var standard []request

func listed(ids ...string) []request {
	return []request{{
		Variables: map[string]any{"first": len(ids)},
		Commands:  [][]string{{"FT.SEARCH", "tweets", "*"}},
		IDs:       ids,
	}}
}

// TestGraphQL runs the script against servers that answer 200 whatever they say.
func TestGraphQL(t *testing.T) {
	runner := start(t)
	newest, three := page(19, 10), page(9, 3)
	wanted := listed("9", "8", "7")
	for _, c := range []struct {
		name, answer string
		requests     []request
		good         bool
	}{
		{"newest", answer(newest), standard, true},
		{"listed", answer(three), wanted, true},
		{"errors beside tweets", answer(three, "too slow"), wanted, false},
		{"errors", `{"data":{"tweets":null},"errors":[{"message":"too slow"}]}`, standard, false},
		{"no tweets", answer(nil), standard, false},
		{"no tweets where some are listed", answer(nil), wanted, false},
		{"too few", answer(page(19, 9)), standard, false},
		{"out of order", answer(append(newest[1:10:10], newest[0])), standard, false},
		{"one twice", answer(append(newest[:9:9], newest[8])), standard, false},
		{"other ids", answer(page(8, 3)), wanted, false},
		{"one more", answer(page(9, 4)), wanted, false},
		{"a tweet without metrics", answer([]string{strings.Replace(three[0], "metrics", "m", 1), three[1], three[2]}), wanted, false},
		{"no JSON", "<html>", standard, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, c.answer) }))
			defer server.Close()
			judge(t, runner, k6.Load{Script: k6.GraphQL, URL: server.URL, Requests: orNil(c.requests), Stages: short}, c.good)
		})
	}
}

// TestRedis does the same with a server of RESP.
func TestRedis(t *testing.T) {
	runner := start(t)
	wanted, named := listed("9", "8"), []request{{Commands: [][]string{{"FT.SEARCH"}}, Usernames: []string{"ann", "bob"}}}
	for _, c := range []struct {
		name, reply string
		requests    []request
		good        bool
	}{
		{"by username", rows("1 a", "2 b", "3 b", "4 c", "5 d", "6 e", "7 f", "8 g", "9 h", "10 i"), standard, true},
		{"usernames", rows("5 ann", "6 bob"), named, true},
		{"ids", rows("9 x", "8 x"), wanted, true},
		{"ids and what lies behind them", rows("9 x", "8 x", "7 x"), wanted, true},
		{"ids without keys", documents("8", "9"), wanted, true},
		{"error", "-Timeout limit was reached\r\n", wanted, false},
		{"error to the standard", "-Timeout limit was reached\r\n", standard, false},
		{"empty", "*1\r\n:0\r\n", standard, false},
		{"empty where some are listed", "*1\r\n:0\r\n", wanted, false},
		{"nine", rows("1 a", "2 b", "3 b", "4 c", "5 d", "6 e", "7 f", "8 g", "9 h"), standard, false},
		{"out of order", rows("1 b", "2 a", "3 b", "4 c", "5 d", "6 e", "7 f", "8 g", "9 h", "10 i"), standard, false},
		{"other ids", rows("9 x", "7 x"), wanted, false},
		{"other ids without keys", documents("9", "7"), wanted, false},
		{"other usernames", rows("5 ann", "6 bill"), named, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := serveRESP(t, c.reply)
			judge(t, runner, k6.Load{Script: k6.Redis, URL: url, Requests: orNil(c.requests), Stages: short}, c.good)
		})
	}
}

// TestNoAnswer: a run in which nothing was checked is no good run.
func TestNoAnswer(t *testing.T) {
	runner := start(t)
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	defer server.Close()
	defer close(done)
	for script, url := range map[string]string{k6.GraphQL: server.URL, k6.Redis: serveRESP(t, "")} {
		result, err := runner.Run(t.Context(), k6.Load{Script: script, URL: url, Stages: short, Grace: time.Millisecond})
		if !errors.Is(err, k6.ErrWrong) || result.Good != 0 {
			t.Errorf("%s: %+v, err %v; want ErrWrong", script, result, err)
		}
	}
}

func start(t *testing.T) *k6.Runner {
	t.Helper()
	runner, err := k6.New(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return runner
}

func orNil(list []request) any {
	if list == nil {
		return nil
	}
	return list
}

// judge runs a load and compares what it says with what was answered.
func judge(t *testing.T, runner *k6.Runner, load k6.Load, good bool) {
	t.Helper()
	result, err := runner.Run(t.Context(), load)
	switch {
	case good && (err != nil || result.Good == 0 || result.Good != result.Requests):
		t.Errorf("%+v, err %v; want all good", result, err)
	case !good && (!errors.Is(err, k6.ErrWrong) || result.Good != 0 || result.Requests == 0):
		t.Errorf("%+v, err %v; want ErrWrong and none good", result, err)
	}
}

// page makes n tweets, the newest with this id, two to a second.
func page(newest, n int) []string {
	tweets := make([]string, n)
	for i := range tweets {
		id := newest - i
		tweets[i] = fmt.Sprintf(`{"id":"%d","text":"hello","createdAt":"2026-01-01T00:00:%02d.000Z","author":{"id":"1","username":"ann"},"hashtags":[],"metrics":{"likes":0}}`, id, id/2)
	}
	return tweets
}

func answer(tweets []string, errs ...string) string {
	body := `{"data":{"tweets":{"nodes":[` + strings.Join(tweets, ",") + `]}}`
	for _, e := range errs {
		body += `,"errors":[{"message":"` + e + `"}]`
	}
	return body + "}"
}

// rows is the reply of FT.SEARCH with one row for each "id username".
func rows(all ...string) string {
	reply := fmt.Sprintf("*%d\r\n:%d\r\n", 1+2*len(all), len(all))
	for _, row := range all {
		id, name, _ := strings.Cut(row, " ")
		reply += bulk("tweet:"+id) + "*4\r\n" + bulk("username") + bulk(name) + bulk("$") + bulk("{}")
	}
	return reply
}

// documents is the reply of FT.AGGREGATE, which has no keys.
func documents(ids ...string) string {
	reply := fmt.Sprintf("*%d\r\n:%d\r\n", 1+len(ids), len(ids))
	for _, id := range ids {
		reply += "*4\r\n" + bulk("seq") + bulk("1") + bulk("t") + bulk(`{"id":"`+id+`"}`)
	}
	return reply
}

func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }

// serveRESP answers every FT.SEARCH with reply, or with nothing when it is "".
func serveRESP(t *testing.T, reply string) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answerRESP(conn, reply)
		}
	}()
	return "redis://" + listener.Addr().String()
}

func answerRESP(conn net.Conn, reply string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		name, err := readCommand(in)
		if err != nil {
			return
		}
		if name == "FT.SEARCH" {
			io.WriteString(conn, reply)
		} else {
			io.WriteString(conn, "-ERR unknown command\r\n") // an old server, which speaks RESP2
		}
	}
}

// readCommand reads an array of bulk strings and returns the first in capitals.
func readCommand(in *bufio.Reader) (name string, err error) {
	n, err := readLength(in)
	for i := range n {
		size, err := readLength(in)
		if err != nil {
			return "", err
		}
		word := make([]byte, size+len("\r\n"))
		if _, err := io.ReadFull(in, word); err != nil {
			return "", err
		}
		if i == 0 {
			name = strings.ToUpper(string(word[:size]))
		}
	}
	return name, err
}

// readLength reads a line like "*3" or "$3".
func readLength(in *bufio.Reader) (int, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}
