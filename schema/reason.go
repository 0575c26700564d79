package schema

// Reason says why a record was set aside. It is the label of the counter and
// part of the dead letter's subject.
type Reason string

// The reasons, as the API shows them.
const (
	BadJSON      Reason = "bad_json"      // not JSON
	InvalidTweet Reason = "invalid_tweet" // a tweet without usable id or text
	NotTweet     Reason = "not_tweet"     // something else: a user, a count, a scalar; a file in an archive or folder that has no JSON objects
	BadContainer Reason = "bad_container" // a compressed file or archive that is cut or damaged, or a file in it
	TooDeep      Reason = "too_deep"      // nested beyond 1,000 levels
	TooLarge     Reason = "too_large"     // over MaxEventBytes encoded, or a value over MaxValueBytes
	Refused      Reason = "refused"       // Redis would not store it
	// BufferFull is counted, and nothing is kept: a live stream brought more
	// than was taken from it.
	BufferFull Reason = "buffer_full"
)

const (
	// MaxEventBytes is the largest encoded event; with its siblings it must
	// fit a JetStream message of 1 MiB.
	MaxEventBytes = 1_000_000
	// MaxValueBytes is the largest JSON value a source reads.
	MaxValueBytes = 64 << 20
	// MaxDepth is how deep a record may nest.
	MaxDepth = 1000
)

// DeadLetter is a record that was set aside, as it is kept for reading and
// replay.
type DeadLetter struct {
	Reason Reason `json:"reason"`
	Source string `json:"source"`         // file name, archive!member, or the stream's name
	Line   int    `json:"line,omitzero"`  // 1-based; 0 when there are no lines
	Error  string `json:"error,omitzero"` // what was wrong, for a person
	Raw    []byte `json:"raw,omitzero"`   // the bytes, at most MaxRawBytes
	Size   int    `json:"size"`           // how many bytes there were
	At     Time   `json:"at"`             // when it was set aside
	// ObservedAt is when a live source delivered it.
	ObservedAt *Time  `json:"observedAt,omitzero"`
	Run        string `json:"run,omitzero"`
}

// MaxRawBytes bounds what a dead letter keeps of a record.
const MaxRawBytes = 256 << 10
