package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"visualizer/internal/stack/stacktest"
	"visualizer/schema"
)

// TestDeadLetters: records that can't be tweets, and a tweet that Redis will
// not store, touch nothing else, are counted by reason and kept with their
// place and bytes.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	occupy(t, data, schema.TweetKey("12"))
	file := filepath.Join(t.TempDir(), "tweets.jsonl")
	lines := []string{
		`{"id":"11","text":"fine"}`,
		`{"id":"12","text":"its key is taken"}`,
		`{"id":"13","text":"cut`,
		`{"id":"0","text":"no id"}`,
		`{"id":"14","text":"fine too"}`,
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	l := start(t, settings(data, file))
	s := l.finished()
	if diff := cmp.Diff(map[string]int64{"refused": 1, "bad_json": 1, "invalid_tweet": 1}, s.rejected()); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	if ids := l.ids(); len(ids) != 2 || s.Stored != 2 || s.Pending != 0 {
		t.Errorf("found %v, status %+v, want 11 and 14 stored and nothing pending", ids, s)
	}
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	want := map[schema.Reason]schema.DeadLetter{
		schema.Refused:      {Reason: schema.Refused, Source: schema.TweetKey("12")},
		schema.BadJSON:      {Reason: schema.BadJSON, Source: file, Line: 3, Raw: []byte(lines[2]), Size: len(lines[2])},
		schema.InvalidTweet: {Reason: schema.InvalidTweet, Source: file, Line: 4, Raw: []byte(lines[3]), Size: len(lines[3])},
	}
	got := letters(t, data)
	if !strings.Contains(string(got[schema.Refused].Raw), "its key is taken") {
		t.Errorf("the refused tweet is kept as %q", got[schema.Refused].Raw)
	}
	ignore := cmpopts.IgnoreFields(schema.DeadLetter{}, "At", "Run", "Error")
	for reason, w := range want {
		g := got[reason]
		if reason == schema.Refused {
			g.Raw, g.Size = nil, 0
		}
		if diff := cmp.Diff(w, g, ignore); diff != "" || g.Error == "" {
			t.Errorf("%s: error %q (-want +got):\n%s", reason, g.Error, diff)
		}
	}
}

// occupy puts a string under a key, where no document can be stored then.
func occupy(t *testing.T, data, key string) {
	t.Helper()
	servers := stacktest.Start(t, stacktest.Data(data))
	client := redisAt(t, servers.RedisURL())
	if err := client.Do(t.Context(), client.B().Set().Key(key).Value("taken").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	client.Close()
	if err := servers.Close(); err != nil {
		t.Fatal(err)
	}
}

// letters returns the dead letters that a stopped line has kept, by reason.
func letters(t *testing.T, data string) map[schema.Reason]schema.DeadLetter {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	url, options := stacktest.Start(t, stacktest.Data(data)).NATS()
	conn, err := nats.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(ctx, schema.StreamDeadLetters)
	if err != nil {
		t.Fatal(err)
	}
	found := map[schema.Reason]schema.DeadLetter{}
	for seq := range stream.CachedInfo().State.LastSeq {
		msg, err := stream.GetMsg(ctx, seq+1)
		if err != nil {
			t.Fatal(err)
		}
		var letter schema.DeadLetter
		if err := schema.Decode(msg.Data, &letter); err != nil {
			t.Fatal(err)
		}
		if want := schema.SubjectDeadLetters + "." + string(letter.Reason); msg.Subject != want {
			t.Errorf("a letter of reason %s is under %s", letter.Reason, msg.Subject)
		}
		found[letter.Reason] = letter
	}
	return found
}
