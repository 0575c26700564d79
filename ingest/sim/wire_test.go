package sim

import (
	"encoding/json"
	"strings"
	"testing"
)

// wire is a line as a reader sees it.
type wire struct {
	Data struct {
		wireTweet
		Delete *struct {
			Tweet struct {
				ID       string
				AuthorID string `json:"author_id"`
			}
			EventAt string `json:"event_at"`
		}
	}
	Includes struct {
		Users  []wireUser
		Tweets []wireTweet
		Places []struct {
			ID  string
			Geo struct{ BBox []float64 }
		}
		Media []struct {
			Key  string `json:"media_key"`
			Type string
		}
	}
	Errors []struct {
		ResourceID string `json:"resource_id"`
		Title      string
	}
	Delete *struct {
		Status struct {
			ID      json.Number
			IDStr   string `json:"id_str"`
			UserID  json.Number
			UserStr string `json:"user_id_str"`
		}
	}
}

type wireTweet struct {
	ID, Text, Lang string
	History        []string     `json:"edit_history_tweet_ids"`
	AuthorID       string       `json:"author_id"`
	CreatedAt      string       `json:"created_at"`
	Conversation   string       `json:"conversation_id"`
	ReplyTo        string       `json:"in_reply_to_user_id"`
	Metrics        *wireMetrics `json:"public_metrics"`
	Source         *string
	Sensitive      *bool `json:"possibly_sensitive"`
	Entities       wireEntities
	Attachments    struct {
		MediaKeys []string `json:"media_keys"`
	}
	Geo struct {
		PlaceID     string `json:"place_id"`
		Coordinates *struct {
			Type        string
			Coordinates [2]float64
		}
	}
	Refs []struct{ Type, ID string } `json:"referenced_tweets"`
	Note *struct {
		Text     string
		Entities wireEntities
	} `json:"note_tweet"`
}

type wireMetrics struct {
	Retweets    int64 `json:"retweet_count"`
	Replies     int64 `json:"reply_count"`
	Likes       int64 `json:"like_count"`
	Quotes      int64 `json:"quote_count"`
	Bookmarks   int64 `json:"bookmark_count"`
	Impressions int64 `json:"impression_count"`
}

type wireUser struct {
	ID, Username, Name string
	Metrics            struct {
		Followers int64 `json:"followers_count"`
		Tweets    int64 `json:"tweet_count"`
	} `json:"public_metrics"`
}

type wireSpan struct{ Start, End int }

type wireEntities struct {
	Hashtags, Cashtags []struct {
		wireSpan
		Tag string
	}
	Mentions []struct {
		wireSpan
		Username, ID string
	}
	URLs []struct {
		wireSpan
		URL      string
		Expanded string `json:"expanded_url"`
		MediaKey string `json:"media_key"`
	}
	Annotations []struct {
		wireSpan
		Text string `json:"normalized_text"`
	}
}

func parse(t *testing.T, line string) wire {
	t.Helper()
	var w wire
	if err := json.Unmarshal([]byte(line), &w); err != nil {
		t.Fatalf("line %.200q: %v", line, err)
	}
	return w
}

// tweet reports whether the line is a tweet.
func (w *wire) tweet() bool { return w.Data.Text != "" }

// splitLines takes the stream apart at its line ends.
func splitLines(s string) []string {
	return strings.Split(strings.TrimSuffix(s, lineEnd), lineEnd)
}
