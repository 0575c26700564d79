package schema

import "maps"

// Document is what RedisJSON keeps under TweetKey or HiddenKey: the tweet as
// it is shown, beside it what only the index and the writer read. A page asks
// for $.t alone.
type Document struct {
	Tweet Tweet `json:"t"`
	Index Index `json:"ix"`
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

	Username string   `json:"username,omitzero"`
	Hashtags []string `json:"hashtags,omitzero"`
	Lang     string   `json:"lang,omitzero"`
	HasGeo   string   `json:"hasGeo"` // "1" or "0"
	// Nulls names the sort keys that this tweet lacks.
	Nulls []string `json:"nulls,omitzero"`
}

// loBits splits an id so that both parts stay below 2^53 for every 64-bit id.
const loBits = 11

// SplitNumber returns the two parts of an id's number that sort like it.
func SplitNumber(id uint64) (seq, lo uint64) { return id >> loBits, id & (1<<loBits - 1) }

// NewDocument returns the document of a tweet.
func NewDocument(t Tweet, ranks Ranks) Document {
	ix := Index{
		CreatedAt: NewMoment(t.CreatedAt, t.ID),
		Hashtags:  tagValues(FoldAll(t.Hashtags)),
		Lang:      TagValue(Fold(string(t.Lang))),
		HasGeo:    "0",
	}
	number, _ := ParseID(t.ID)
	ix.Seq, ix.Lo = SplitNumber(number)
	if t.Author != nil {
		ix.Username = TagValue(Fold(string(t.Author.Username)))
	}
	if t.Location != nil {
		ix.HasGeo = "1"
	}
	if ix.CreatedAt == nil {
		ix.Nulls = append(ix.Nulls, FieldCreatedAt)
	}
	return Document{Tweet: t, Index: ix, Ranks: ranks}
}

func tagValues(ss []string) []string {
	for i, s := range ss {
		ss[i] = TagValue(s)
	}
	return ss
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
