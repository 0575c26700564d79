package schema

import "maps"

// Document is what RedisJSON keeps under TweetKey or HiddenKey: the tweet as
// it is shown, beside it what only the index and the writer read. A page asks
// for $.t alone.
type Document struct {
	Tweet Tweet `json:"t"`
	Index Index `json:"ix,omitzero"` // not of hidden documents, see SetIndex
	Ranks Ranks `json:"rank"`
	// Own: it arrived in its own right, not only beside another tweet.
	Own bool `json:"own,omitzero"`
}

// Hidden reports whether the tweet is read by id only: it came only beside
// another, or a newer version of it is stored.
func (d *Document) Hidden() bool { return !d.Own || d.Tweet.SupersededBy != "" }

// Key is where the document belongs.
func (d *Document) Key() string {
	if d.Hidden() {
		return HiddenKey(d.Tweet.ID)
	}
	return TweetKey(d.Tweet.ID)
}

// Index holds the values that RediSearch reads, in the form it reads them.
// Every value fits its field type whatever the tweet says, since one that
// doesn't would silently drop the whole document from the index.
type Index struct {
	// CreatedAt orders by creation; nil when unknown, and then "createdAt" is
	// in Nulls.
	CreatedAt *Moment `json:"createdAt,omitzero"`
	// Seq and Lo are the id as a number in two parts that a double holds
	// exactly: they break ties of every order.
	Seq uint64 `json:"seq"`
	Lo  uint64 `json:"lo"`

	Username  string   `json:"username,omitzero"`
	Words     string   `json:"words,omitzero"` // see IndexText
	Hashtags  []string `json:"hashtags,omitzero"`
	Mentions  []string `json:"mentions,omitzero"`
	Lang      string   `json:"lang,omitzero"`
	LinkHosts []string `json:"linkHosts,omitzero"`
	Country   string   `json:"countryCode,omitzero"`
	Source    string   `json:"source,omitzero"`
	Thread    string   `json:"conversationId,omitzero"`
	// Is holds the tweet's types, and "media" and "links" where it has such.
	Is     []string `json:"is"`
	HasGeo string   `json:"hasGeo"` // "1" or "0"
	// Nulls names the orders whose value this tweet lacks.
	Nulls []string `json:"nulls,omitzero"`

	// The location as a unit vector, and its coordinates as DegreeKey.
	Near      []float64 `json:"near,omitzero"`
	Latitude  *int64    `json:"lat,omitzero"`
	Longitude *int64    `json:"lon,omitzero"`

	// Sort keys, nil where the value is unknown.
	Likes        *int64 `json:"byLikes,omitzero"`
	Retweets     *int64 `json:"byRetweets,omitzero"`
	Replies      *int64 `json:"byReplies,omitzero"`
	Quotes       *int64 `json:"byQuotes,omitzero"`
	Impressions  *int64 `json:"byImpressions,omitzero"`
	Name         *int64 `json:"byUsername,omitzero"`
	NameSecond   *int64 `json:"thenUsername,omitzero"`
	UsernameRest string `json:"usernameRest,omitzero"`

	// Observed and Place are the rank of the author's username, by which the
	// newest profile of a user is found.
	Observed Time   `json:"observed"`
	Place    uint64 `json:"place"`
}

// loBits splits an id so that both parts stay below 2^53 for every 64-bit id.
const loBits = 11

// SplitNumber returns the two parts of an id's number that sort like it.
func SplitNumber(id uint64) (seq, lo uint64) { return id >> loBits, id & (1<<loBits - 1) }

// JoinNumber returns the id's number of which these are the parts.
func JoinNumber(seq, lo uint64) uint64 { return seq<<loBits | lo }

// NewDocument returns the document of a tweet, with what the index holds of it.
func NewDocument(t Tweet, ranks Ranks) Document {
	return Document{Tweet: t, Index: newIndex(&t, ranks), Ranks: ranks}
}

// SetIndex makes Index what belongs to the tweet and its ranks. No index reads
// it of a hidden document, which has none, since making and keeping it costs.
func (d *Document) SetIndex() {
	d.Index = Index{}
	if !d.Hidden() {
		d.Index = newIndex(&d.Tweet, d.Ranks)
	}
}

// Rank orders the observations of one tweet: by the time of observation, and
// where that is equal or unknown by the place in the stream.
type Rank struct {
	Observed Time   `json:"o,omitzero"` // 0 is unknown and counts as oldest
	Place    uint64 `json:"p,omitzero"` // grows along the stream, < 2^53
}

// Less reports whether r is older than o.
func (r Rank) Less(o Rank) bool {
	if r.Observed != o.Observed {
		return r.Observed < o.Observed
	}
	return r.Place < o.Place
}

// Ranks are the ranks of a document's fields: Top, that of the newest
// observation, and by name those of fields that another one or a notice told.
type Ranks struct {
	Top    Rank            `json:"top"`
	Others map[string]Rank `json:"others,omitzero"`
}

// RankUsername is the name of the author's username in Ranks.
const RankUsername = "author.username"

// Of returns the rank of a field's present value.
func (r Ranks) Of(field string) Rank {
	if other, ok := r.Others[field]; ok {
		return other
	}
	return r.Top
}

// WithheldNotice is a value under WithheldKey.
type WithheldNotice struct {
	Withheld Withheld `json:"withheld"`
	Rank     Rank     `json:"rank"`
}

// With returns ranks in which one field has its own rank.
func (r Ranks) With(field string, rank Rank) Ranks {
	others := maps.Clone(r.Others)
	if others == nil {
		others = map[string]Rank{}
	}
	others[field] = rank
	return Ranks{Top: r.Top, Others: others}
}
