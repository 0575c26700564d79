package source

import (
	"strings"
	"testing"

	"visualizer/schema"
)

// TestOriginalText: a retweet is searched by the whole text of what it repeats,
// wherever its record has that, and any other tweet by its own.
func TestOriginalText(t *testing.T) {
	const v2 = `{"data":{"id":"2","text":"RT @a: cut…","referenced_tweets":[{"type":"quoted","id":"3"},{"type":"retweeted","id":"1"}]},"includes":{"tweets":[{"id":"3","text":"other"},`
	for _, tt := range []struct{ name, in, want string }{
		{"included", v2 + `{"id":"1","text":"the whole &amp; zebra"}]}}`, "the whole & zebra"},
		{"included long form", v2 + `{"id":"1","text":"begin…","note_tweet":{"text":"begin and end"}}]}}`, "begin and end"},
		{"not included", v2 + `{"id":"4","text":"another"}]}}`, "RT @a: cut…"},
		{"included without text", v2 + `{"id":"1"}]}}`, "RT @a: cut…"},
		{"flat", `{"id":"2","text":"RT @a: cut…","referenced_tweets":[{"type":"retweeted","id":"1","text":"whole","author":{"id":"7"}}]}`, "whole"},
		{"flat, only named", `{"id":"2","text":"RT @a: cut…","referenced_tweets":[{"type":"retweeted","id":"1"}]}`, "RT @a: cut…"},
		{"page", `{"data":[{"id":"2","text":"RT @a: cut…","referenced_tweets":[{"type":"retweeted","id":"1"}]}],"includes":{"tweets":[{"id":"1","text":"whole"}]}}`, "whole"},
		{"v1.1", `{"id_str":"2","text":"RT @a: cut…","retweeted_status":{"id_str":"1","text":"whole","user":{"id_str":"7"}}}`, "whole"},
		{"v1.1 extended mode", `{"id_str":"2","full_text":"RT @a: cut…","retweeted_status":{"id_str":"1","full_text":"whole","user":{"id_str":"7"}}}`, "whole"},
		{"v1.1 stream", `{"id_str":"2","text":"RT @a: cut…","retweeted_status":{"id_str":"1","text":"b…","truncated":true,"extended_tweet":{"full_text":"whole"}}}`, "whole"},
		{"quote", `{"data":{"id":"2","text":"mine","referenced_tweets":[{"type":"quoted","id":"1"}]},"includes":{"tweets":[{"id":"1","text":"other"}]}}`, "mine"},
		{"v1.1 quote", `{"id_str":"2","text":"mine","quoted_status":{"id_str":"1","text":"other"}}`, "mine"},
		{"itself", `{"data":{"id":"2","text":"mine","referenced_tweets":[{"type":"retweeted","id":"2"}]}}`, "mine"},
	} {
		if got := one(t, tt.in); got.SearchText() != tt.want {
			t.Errorf("%s: searched by %q, want %q", tt.name, got.SearchText(), tt.want)
		}
	}
}

// TestOriginalTooLarge: a tweet that can't be stored doesn't take those that
// repeat it with it.
func TestOriginalTooLarge(t *testing.T) {
	record := `{"data":{"id":"2","text":"RT @a: cut…","referenced_tweets":[{"type":"retweeted","id":"1"}]},"includes":{"tweets":[{"id":"1","text":"` + strings.Repeat("x", schema.MaxEventBytes) + `"}]}}`
	events, rejects := Decode([]byte(record), nil)
	if len(events) != 1 || len(rejects) != 1 || rejects[0].Reason != schema.TooLarge || events[0].Tweet.SearchText() != "RT @a: cut…" {
		t.Errorf("Decode = %s", summary(events, rejects))
	}
}
