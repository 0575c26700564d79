package ingest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// upstream is X as services see it: it sends the same to all that read.
type upstream struct {
	url string

	mu      sync.Mutex
	readers map[string]chan string // what is to be sent, by the reader's name
	opened  map[string]int         // how many connections each has made
	srv     *httptest.Server
	next    int            // id of the next tweet
	sent    map[string]int // ids: how many readers they were sent to
}

func newUpstream(t *testing.T) *upstream {
	u := &upstream{readers: map[string]chan string{}, opened: map[string]int{}, sent: map[string]int{}, next: 1000}
	u.srv = httptest.NewServer(u)
	t.Cleanup(func() { u.hangUp(); u.srv.Close() })
	u.url = u.srv.URL
	return u
}

// hangUp ends all connections.
func (u *upstream) hangUp() { u.srv.CloseClientConnections() }

// ServeHTTP is one connection of a reader.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	lines := make(chan string, 10_000)
	u.mu.Lock()
	u.readers[name] = lines
	u.opened[name]++
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.readers[name] == lines {
			delete(u.readers, name)
		}
	}()
	w.Header().Set("Content-Type", "application/json")
	for {
		http.NewResponseController(w).Flush()
		select {
		case line := <-lines:
			fmt.Fprint(w, line+"\r\n")
		case <-r.Context().Done():
			return
		}
	}
}

// send sends new tweets to whoever reads, and returns their ids.
func (u *upstream) send(n int) (ids []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for range n {
		u.next++
		id := fmt.Sprint(u.next)
		for _, lines := range u.readers {
			lines <- tweetLine(id, 1)
			u.sent[id]++
		}
		ids = append(ids, id)
	}
	return ids
}

// sendTo sends a version of a tweet to one reader.
func (u *upstream) sendTo(name, id string, likes int) { u.say(name, tweetLine(id, likes)) }

// say sends a line to one reader.
func (u *upstream) say(name, line string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.readers[name] <- line
}

func tweetLine(id string, likes int) string {
	return fmt.Sprintf(`{"data":{"id":%q,"text":"t","created_at":"2026-01-01T00:00:00.000Z","public_metrics":{"like_count":%d}}}`, id, likes)
}

// reads reports whether a service is connected.
func (u *upstream) reads(name string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.readers[name] != nil
}

// connections are how many each has made.
func (u *upstream) connections(name string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.opened[name]
}
