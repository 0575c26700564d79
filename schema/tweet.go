package schema

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Tweet is one tweet as the stream carries it, Redis keeps it and GraphQL
// shows it. The id decides identity. What a record did not say is absent: an
// empty Opt, a nil pointer, a nil slice.
type Tweet struct {
	// ID is 1 to 19 decimal digits without leading zero. It never passes
	// through a float.
	ID string `json:"id"`
	// RawText is the text as delivered, in its longest form; only what can't
	// be text (bad UTF-8, NUL, lone surrogates) is replaced, see Repaired.
	RawText string `json:"rawText"`
	// Text is RawText with the five HTML escapes decoded once, see DecodeText.
	// JSON leaves it out where it is the same.
	Text string `json:"text,omitzero"`
	// OriginalText is, of a retweet, the whole text of the tweet it repeats,
	// decoded, where its own record told that. Only search reads it: the text of
	// a retweet is mostly cut.
	OriginalText Opt `json:"originalText,omitzero"`
	// CreatedAt is as delivered, or from the id when CreatedAtDerived.
	CreatedAt        *Time `json:"createdAt,omitzero"`
	CreatedAtDerived bool  `json:"createdAtDerived,omitzero"`

	Lang           Opt   `json:"lang,omitzero"`
	Source         Opt   `json:"source,omitzero"`
	ConversationID Opt   `json:"conversationId,omitzero"`
	Author         *User `json:"author,omitzero"`
	// InReplyToUserID makes a tweet a reply even when the tweet it answers is
	// not named.
	InReplyToUserID Opt `json:"inReplyToUserId,omitzero"`

	Hashtags []string  `json:"hashtags,omitzero"` // without '#', as delivered, in order
	Cashtags []string  `json:"cashtags,omitzero"` // without '$'
	Mentions []Mention `json:"mentions,omitzero"`
	URLs     []URL     `json:"urls,omitzero"`
	Media    []Media   `json:"media,omitzero"`

	Metrics    Metrics     `json:"metrics,omitzero"`
	Location   *Location   `json:"location,omitzero"`
	Place      *Place      `json:"place,omitzero"`
	References []Reference `json:"references,omitzero"`

	PossiblySensitive *bool          `json:"possiblySensitive,omitzero"`
	Withheld          *Withheld      `json:"withheld,omitzero"`
	MatchingRules     []MatchingRule `json:"matchingRules,omitzero"`

	// EditHistoryIDs are the known versions, oldest first, this one included.
	EditHistoryIDs []string `json:"editHistoryIds,omitzero"`
	// SupersededBy is the newest stored version when that is not this one.
	SupersededBy Opt `json:"supersededBy,omitzero"`
	// ObservedAt is when the newest data about this tweet was seen.
	ObservedAt *Time `json:"observedAt,omitzero"`
	// Repaired says that at least one string held what can't be text.
	Repaired bool `json:"repaired,omitzero"`
	// Truncated says that the record held only the beginning of the text.
	Truncated bool `json:"truncated,omitzero"`
}

// SearchText is what a search for words looks at.
func (t *Tweet) SearchText() string {
	if t.OriginalText != "" {
		return string(t.OriginalText)
	}
	return t.Text
}

// User is a profile as one tweet's record told it.
type User struct {
	ID              string `json:"id"`
	Username        Opt    `json:"username,omitzero"`
	Name            Opt    `json:"name,omitzero"`
	Description     Opt    `json:"description,omitzero"`
	FollowersCount  *int64 `json:"followersCount,omitzero"`
	FollowingCount  *int64 `json:"followingCount,omitzero"`
	TweetCount      *int64 `json:"tweetCount,omitzero"`
	Verified        *bool  `json:"verified,omitzero"`
	Location        Opt    `json:"location,omitzero"`
	CreatedAt       *Time  `json:"createdAt,omitzero"`
	ProfileImageURL Opt    `json:"profileImageUrl,omitzero"`
	ObservedAt      *Time  `json:"observedAt,omitzero"`
}

// NullableID is the id, absent where a record told the username alone.
func (u *User) NullableID() Opt { return Opt(u.ID) }

// Metrics are a tweet's counters at one observation; nil was not told.
type Metrics struct {
	Likes       *int64 `json:"likes,omitzero"`
	Retweets    *int64 `json:"retweets,omitzero"`
	Replies     *int64 `json:"replies,omitzero"`
	Quotes      *int64 `json:"quotes,omitzero"`
	Bookmarks   *int64 `json:"bookmarks,omitzero"`
	Impressions *int64 `json:"impressions,omitzero"`
}

// Mention is a user named in the text; the id is often not delivered.
type Mention struct {
	Username Opt `json:"username,omitzero"`
	ID       Opt `json:"id,omitzero"`
}

// URL is a link in the text.
type URL struct {
	URL         Opt `json:"url,omitzero"`
	ExpandedURL Opt `json:"expandedUrl,omitzero"`
	Title       Opt `json:"title,omitzero"`
	// MediaKey is set when the link is the tweet's own media.
	MediaKey Opt `json:"mediaKey,omitzero"`
}

// Media is an attached photo, video or animation. Type is absent when only
// the key was delivered.
type Media struct {
	Key     Opt `json:"key,omitzero"`
	Type    Opt `json:"type,omitzero"`
	URL     Opt `json:"url,omitzero"`
	AltText Opt `json:"altText,omitzero"`
}

// Location is a point in degrees that RediSearch can index: see NewLocation.
type Location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// MaxLatitude is the largest |latitude| of Redis' geo encoding (Web Mercator).
const MaxLatitude = 85.05112878

// NewLocation returns the point, or nil when Redis could not hold it. A point
// outside drops the whole document from an index, so it must not get there.
func NewLocation(lat, lon float64) *Location {
	if !(lat >= -MaxLatitude && lat <= MaxLatitude && lon >= -180 && lon <= 180) {
		return nil
	}
	return &Location{Latitude: lat, Longitude: lon}
}

// Place is a named area. BBox is west, south, east, north in degrees, or nil.
type Place struct {
	ID          string    `json:"id"`
	FullName    Opt       `json:"fullName,omitzero"`
	CountryCode Opt       `json:"countryCode,omitzero"`
	BBox        []float64 `json:"bbox,omitzero"`
}

// ReferenceType says how a tweet refers to another.
type ReferenceType string

// The three kinds of reference of the X API.
const (
	Retweeted ReferenceType = "RETWEETED"
	Quoted    ReferenceType = "QUOTED"
	RepliedTo ReferenceType = "REPLIED_TO"
)

// Reference names another tweet. That tweet may or may not be stored.
type Reference struct {
	Type ReferenceType `json:"type"`
	ID   string        `json:"id"`
}

// Withheld tells where a tweet must not be shown. Scope is "tweet" or "user".
type Withheld struct {
	CountryCodes []string `json:"countryCodes,omitzero"`
	Scope        Opt      `json:"scope,omitzero"`
}

// MatchingRule is a filtered-stream rule that matched the tweet.
type MatchingRule struct {
	ID  string `json:"id"`
	Tag Opt    `json:"tag,omitzero"`
}

// plainTweet is a Tweet without its own JSON methods.
type plainTweet Tweet

// MarshalJSONTo writes the text once when it holds no escape, as nearly all do:
// a tweet travels and is kept in that much less.
func (t *Tweet) MarshalJSONTo(enc *jsontext.Encoder) error {
	if t.Text != t.RawText {
		return json.MarshalEncode(enc, (*plainTweet)(t))
	}
	short := plainTweet(*t) // others may read t
	short.Text = ""
	return json.MarshalEncode(enc, &short)
}

// UnmarshalJSONFrom reads what MarshalJSONTo wrote.
func (t *Tweet) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if err := json.UnmarshalDecode(dec, (*plainTweet)(t)); err != nil {
		return err
	}
	t.complete()
	return nil
}

// complete sets the text where the JSON has it once.
func (t *Tweet) complete() {
	if t.Text == "" {
		t.Text = t.RawText // a text with escapes is never decoded to nothing
	}
}

// FoldedUsername returns the author's username as it matches and orders, "" when
// it is unknown.
func (t *Tweet) FoldedUsername() string {
	if t.Author == nil {
		return ""
	}
	return Fold(string(t.Author.Username))
}

// IsNode makes Tweet an object of the GraphQL interface Node.
func (Tweet) IsNode() {}
