package schema

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind says what an Event is.
type Kind string

// The kinds of event; see Crosses.
const (
	KindTweet      Kind = "tweet"      // a tweet in its own right
	KindReferenced Kind = "referenced" // a full tweet that stood only beside another
	KindDelete     Kind = "delete"     // remove Notice.TweetID, with its edit chain
	KindScrubGeo   Kind = "scrub_geo"  // remove places of Notice.UserID up to Notice.TweetID
	KindWithheld   Kind = "withheld"   // Notice.Withheld for Notice.TweetID, or all of Notice.UserID
	KindControl    Kind = "control"    // any other message that is no tweet
	KindBlank      Kind = "blank"      // a keep-alive line
)

// Event is one thing a source delivered.
type Event struct {
	Kind Kind `json:"kind"`
	// Tweet of KindTweet and KindReferenced.
	Tweet *Tweet `json:"tweet,omitzero"`
	// Notice of KindDelete, KindScrubGeo and KindWithheld.
	Notice *Notice `json:"notice,omitzero"`
	// Control is the message's own name, by which it is counted ("limit",
	// "problem", "empty", "unknown", …). It is also set on a Notice that stood
	// as a message of its own; "" otherwise.
	Control string `json:"-"`
	// Detail of a control message that one may want to read, such as a
	// disconnect reason.
	Detail string `json:"-"`
}

// Notice is what a compliance message asks for.
type Notice struct {
	TweetID  Opt       `json:"tweetId,omitzero"`
	UserID   Opt       `json:"userId,omitzero"`
	Withheld *Withheld `json:"withheld,omitzero"`
	// ObservedAt is when the message arrived, where that is known.
	ObservedAt *Time `json:"observedAt,omitzero"`
}

// Crosses reports whether the event must reach the writer; the others are only
// counted.
func (e *Event) Crosses() bool { return e.Kind != KindControl && e.Kind != KindBlank }

// Batch is the payload of one message on the stream.
type Batch struct {
	// Run is the run of the line that published it, see StatusKey.
	Run string `json:"run"`
	// Place is the place in the stream of the first event; each further one is
	// one on. The publisher gives it, so that neither a retry nor a second
	// delivery moves an event.
	Place  uint64  `json:"place"`
	Events []Event `json:"events"`
}

// EncodeBatch returns the JSON of a Batch whose events are encoded already.
func EncodeBatch(run string, place uint64, events [][]byte) []byte {
	head := fmt.Sprintf(`{"run":%q,"place":%d,"events":[`, run, place)
	data := append([]byte(head), bytes.Join(events, []byte(","))...)
	return append(data, "]}"...)
}

// jsonOptions are for data of our own: strings were mended on the way in, so
// strict UTF-8 would only cost; "<" stays "<".
var jsonOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Encode returns v as JSON.
func Encode(v any) ([]byte, error) { return json.Marshal(v, jsonOptions) }

// Decode reads JSON that Encode wrote.
func Decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v, jsonOptions); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}
