package schema

import "strconv"

// Redis keys.
const (
	// TweetPrefix holds the searchable tweets, one document each, and nothing
	// else.
	TweetPrefix = "tweet:"
	// HiddenPrefix holds documents that are read by id only: referenced tweets
	// and superseded edits.
	HiddenPrefix = "hidden:"

	// TombstonesKey is a SET of the ids that were deleted.
	TombstonesKey = "line:tombstones"
	// ChainsKey is a HASH from the id of an edited version to another of its
	// chain: the newest stored in its own right where that is newer, else,
	// behind a "?", one that tells of the chain.
	ChainsKey = "line:chains"
	// ScrubbedKey is a HASH from a user's id to the id up to which the user's
	// tweets have no point and no place.
	ScrubbedKey = "line:scrubbed"
	// WithheldKey is a HASH from a tweet's or a user's id, behind WithheldTweet
	// or WithheldUser, to the newest notice that withholds it.
	WithheldKey = "line:withheld"
	// AppliedKey is a HASH that tells how far batches were executed which may
	// come again: from a message's number and a part of it to the place of the
	// part's last event that was.
	AppliedKey = "line:applied"
	// FloorKey is a ZSET of two scores that only grow: every message up to
	// FloorSequence that was published up to FloorTime is executed and acked.
	FloorKey = "line:floor"
	// OutboxKey is a STREAM: each transaction that stores tweets for the first
	// time adds an entry with their ids, see Stored. Its ids are 0-1, 0-2 and so
	// on; what was published is trimmed.
	OutboxKey = "line:outbox"
	// LaneKeyPrefix, with a lane's number, is the counter that every
	// transaction of a writer's lane increments, and watches: a writer that
	// decided on old data is refused.
	LaneKeyPrefix = "line:lane:"
	// StatusKey is a HASH with the counters of the present run of the line.
	StatusKey = "line:status"
	// ServicesKey is a SET of the ids of ingest services, those that were
	// killed included.
	ServicesKey = "line:services"
	// StartingKey is held by the service that joins or begins a run.
	StartingKey = "line:starting"
	// ServiceKeyPrefix, with an id, holds the service's ServiceStatus for as
	// long as the service lives.
	ServiceKeyPrefix = "line:service:"
	// ControlKey is a HASH of what startStream and stopStream asked for, see
	// Control.
	ControlKey = "line:control"
	// FenceKey is written before waiting for the append-only file, so that
	// the wait covers all writes before it.
	FenceKey = "line:fence"
)

// What stands before the id in a field of WithheldKey.
const (
	WithheldTweet = "tweet:"
	WithheldUser  = "user:"
)

// Members of FloorKey.
const (
	FloorSequence = "sequence" // of the stream
	FloorTime     = "time"     // by JetStream's clock, in microseconds
)

// TweetKey is the key of a searchable tweet.
func TweetKey(id string) string { return TweetPrefix + id }

// HiddenKey is the key of a tweet that is read by id only.
func HiddenKey(id string) string { return HiddenPrefix + id }

// ServiceKey is the key of what an ingest service is doing.
func ServiceKey(id string) string { return ServiceKeyPrefix + id }

// NATS names.
const (
	StreamTweets = "TWEETS"
	// SubjectTweets carries a Batch a message.
	SubjectTweets  = "tweets.batches"
	ConsumerWriter = "writer"

	StreamStored = "STORED"
	// SubjectStored carries a Stored a message.
	SubjectStored = "tweets.stored"

	StreamDeadLetters = "DEADLETTERS"
	// SubjectDeadLetters, with the reason behind a point, carries a DeadLetter
	// a message.
	SubjectDeadLetters = "deadletters"

	// BucketLeases is a bucket of keys: for each live source the id of the
	// ingest service that reads it.
	BucketLeases = "LEASES"
)

// Fields of the hash under StatusKey. Counters have one writer each: those of
// the reading side are added in steps, those of the writer in the transaction
// that stores the tweets.
const (
	StatusRun = "run" // id of the run
	// StatusFlushed stands before a service's id: the number of the counts it
	// has written last.
	StatusFlushed = "flushed:"
	StatusLast    = "last" // ServiceStatus of the service that ended last

	StatusPublished  = "published"  // tweets handed to the stream
	StatusStored     = "stored"     // first time in its own right
	StatusUpdated    = "updated"    // the document changed
	StatusDuplicates = "duplicates" // it did not
	StatusDeleted    = "deleted"    // stored tweets removed
	StatusBlank      = "blank"
	StatusRepaired   = "repaired"
	// StatusControl and StatusRejected stand before the type or reason.
	StatusControl  = "control:"
	StatusRejected = "rejected:"
)

// StreamState tells what the line is doing.
type StreamState string

// The states of the line.
const (
	StateOffline      StreamState = "OFFLINE"      // no ingest service runs
	StateConnecting   StreamState = "CONNECTING"   // the source is not open yet
	StateRunning      StreamState = "RUNNING"      // reading
	StateReconnecting StreamState = "RECONNECTING" // the source is down
	StateFinished     StreamState = "FINISHED"     // all read and found by search
	StateStopped      StreamState = "STOPPED"      // by stopStream
)

// Lanes is how many transactions a writer has under way. Two keep Redis busy
// while one of them decides.
const Lanes = 2

// LaneKeys are the counters of all lanes. Together they are the store's epoch:
// no document changes without one of them growing in the same transaction.
func LaneKeys() []string {
	keys := make([]string, Lanes)
	for i := range keys {
		keys[i] = LaneKeyPrefix + strconv.Itoa(i)
	}
	return keys
}
