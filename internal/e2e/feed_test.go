package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"visualizer/internal/allinone"
)

// piped is a line whose tweets the test sends.
type piped struct {
	*line
	data string // the folder of its servers
	pipe *os.File
	next int
}

// firstPiped is the id before the first that is sent.
const firstPiped = 1_000_000

func startPiped(t *testing.T, change func(*allinone.Settings)) *piped {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := settings(t.TempDir(), pipe)
	cfg.Rate = new(float64(0))
	if change != nil {
		change(cfg)
	}
	l := &piped{line: start(t, cfg), data: cfg.Data, next: firstPiped}
	var err error
	if l.pipe, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.pipe.Close() })
	return l
}

// send sends n tweets and returns their ids.
func (p *piped) send(n int) []string {
	p.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		p.next++
		ids[i] = strconv.Itoa(p.next)
		p.say(fmt.Sprintf(`{"data":{"id":%q,"text":"tweet number %d #n%d","created_at":"2026-01-01T00:00:00.000Z"}}`, ids[i], p.next, p.next%10))
	}
	return ids
}

func (p *piped) say(line string) {
	p.t.Helper()
	if _, err := p.pipe.WriteString(line + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

// toldAll waits until a follower was told of ids, each once. Two lanes store at
// a time, so that the order is not that of sending.
func toldAll(t *testing.T, what string, f *follower, ids []string) {
	t.Helper()
	eventually(t, what+" is told all", func() bool { return len(f.told()) >= len(ids) || f.ended() != "" })
	got, want := slices.Sorted(slices.Values(f.told())), slices.Sorted(slices.Values(ids))
	if !slices.Equal(got, want) {
		t.Errorf("%s was told of %d tweets, want %d (%s)", what, len(got), len(want), f.ended())
	}
}

// TestTweetAdded: who follows is told of each tweet that matches, once, when it
// is first stored in its own right.
func TestTweetAdded(t *testing.T) {
	t.Parallel()
	l := startPiped(t, nil)
	before := l.send(3)
	eventually(t, "what was sent before is stored", func() bool { return l.status().Stored == 3 })
	all := followSocket(t, l.url, followed, nil)
	some := followEvents(t, l.url, followed, map[string]any{"hashtags": []string{"#N1"}})
	none := followSocket(t, l.url, followed, map[string]any{"ids": []string{}})
	ids := l.send(20)
	toldAll(t, "a WebSocket", all, ids)
	toldAll(t, "an event stream", some, []string{"1000011", "1000021"})

	// Of all this only 7001 and, later, 7000 are new in their own right.
	for _, id := range append(before, ids[:5]...) {
		l.say(fmt.Sprintf(`{"data":{"id":%q,"text":"again","created_at":"2026-01-01T00:00:00.000Z","public_metrics":{"like_count":5}}}`, id))
	}
	l.say(`{"delete":{"status":{"id":1000006,"id_str":"1000006","user_id":1,"user_id_str":"1"}}}`)
	l.say(`{"data":{"id":"7001","text":"t","referenced_tweets":[{"type":"quoted","id":"7000"}]},"includes":{"tweets":[{"id":"7000","text":"r"}]}}`)
	ids = append(ids, "7001")
	toldAll(t, "who follows", all, ids)
	l.say(`{"data":{"id":"7000","text":"r"}}`)
	l.say(`{"data":{"id":"7003","text":"an edit","edit_history_tweet_ids":["1000010","7003"]}}`)
	ids = append(ids, "7000", "7003")
	toldAll(t, "who follows", all, ids)
	if told := none.told(); len(told) > 0 {
		t.Errorf("who follows nothing was told of %v", told)
	}
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	<-all.end
	if code := all.ended(); code != "1012" {
		t.Errorf("when the service stops the WebSocket is closed by %s, want 1012", code)
	}
}

// TestSocketAdmin: mutations over a WebSocket need the token in connection_init,
// and a wrong one is refused there. Nothing else needs it.
func TestSocketAdmin(t *testing.T) {
	t.Parallel()
	l := startPiped(t, func(cfg *allinone.Settings) { cfg.AdminToken = "s3cret" })
	for _, tt := range []struct {
		init  any
		query string
		want  string
	}{
		{map[string]any{"Authorization": "Bearer wrong"}, "", "4403"},
		{map[string]any{"authorization": 7}, "", "4403"},
		{map[string]any{"Authorization": "s3cret"}, "", "4403"},
		{map[string]any{"authorization": "Bearer s3cret"}, `mutation { stopStream { state } }`, `"STOPPED"`},
		{map[string]any{"Authorization": "Bearer s3cret"}, `mutation { startStream { state } }`, `"startStream":{`},
		{nil, `mutation { stopStream { state } }`, `"UNAUTHENTICATED"`},
		{map[string]any{"other": 1}, `{ tweets { totalCount } }`, `"totalCount":`},
	} {
		if got := overSocket(t, l.url, tt.init, tt.query); !strings.Contains(got, tt.want) {
			t.Errorf("%v %s: %s, want %s", tt.init, tt.query, got, tt.want)
		}
	}
}

// overSocket returns what a WebSocket answers to an operation, or the code by
// which it is closed before.
func overSocket(t *testing.T, url string, init any, query string) string {
	t.Helper()
	conn, err := openSocket(t.Context(), url, init)
	if err != nil {
		return fmt.Sprint(int(websocket.CloseStatus(err)))
	}
	defer conn.CloseNow()
	var m struct{ Payload json.RawMessage }
	err = wsjson.Write(t.Context(), conn, map[string]any{"type": "subscribe", "id": "1", "payload": map[string]any{"query": query}})
	if err == nil {
		err = wsjson.Read(t.Context(), conn, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Payload)
}
