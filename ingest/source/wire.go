package source

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is a JSON object of a stream or file: an envelope around tweets, or
// one tweet itself.
type message struct {
	tweetJSON
	Data     payload              `json:"data"`
	Includes object[includesJSON] `json:"includes"`
	Rules    objects[ruleJSON]    `json:"matching_rules"`
	Twarc    object[twarcJSON]    `json:"__twarc"`
}

// payload is the value of "data".
type payload struct {
	kind  jsontext.Kind // 0 when there is no such member
	items []candidate   // the object, or each element of the array
}

// UnmarshalJSONFrom reads any JSON value.
func (p *payload) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = payload{kind: dec.PeekKind()}
	switch p.kind {
	case '{':
		p.items = make([]candidate, 1)
		return json.UnmarshalDecode(dec, &p.items[0])
	case '[':
		var elements list[candidate]
		err := json.UnmarshalDecode(dec, &elements)
		p.items = elements.items
		return err
	}
	return dec.SkipValue()
}

// candidate is a value that may be a tweet.
type candidate struct{ tweetJSON }

// UnmarshalJSONFrom reads any JSON value, of which only an object has members.
func (c *candidate) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = candidate{}
	kind, before := dec.PeekKind(), dec.UnreadBuffer()
	var err error
	if kind == '{' {
		err = json.UnmarshalDecode(dec, &c.tweetJSON)
	} else {
		err = dec.SkipValue()
	}
	c.raw = trimValue(before[:len(before)-len(dec.UnreadBuffer())])
	return err
}

// trimValue cuts what may stand before a value within another one.
func trimValue(v []byte) []byte {
	for len(v) > 0 && (v[0] <= ' ' || v[0] == ',' || v[0] == ':') {
		v = v[1:]
	}
	return v
}

// tweetJSON is a tweet as any of the formats delivers it: API v2, v2 flattened
// by twarc2, and v1.1 in all its modes. No member means one thing here and
// another there, but for "geo".
type tweetJSON struct {
	raw []byte // of a candidate, within its record

	ID        flexID     `json:"id"`
	Text      flexString `json:"text"`
	CreatedAt flexString `json:"created_at"`
	Lang      flexString `json:"lang"`
	Source    flexString `json:"source"`

	Entities          object[entitiesJSON] `json:"entities"`
	Geo               object[geoJSON]      `json:"geo"`
	PossiblySensitive flexBool             `json:"possibly_sensitive"`

	// v2
	AuthorID        flexID                  `json:"author_id"`
	ConversationID  flexID                  `json:"conversation_id"`
	InReplyToUserID flexID                  `json:"in_reply_to_user_id"`
	NoteTweet       object[noteJSON]        `json:"note_tweet"`
	NotePost        object[noteJSON]        `json:"note_post"`
	Metrics         object[metricsJSON]     `json:"public_metrics"`
	Attachments     object[attachmentsJSON] `json:"attachments"`
	Referenced      objects[referenceJSON]  `json:"referenced_tweets"`
	ReferencedPosts objects[referenceJSON]  `json:"referenced_posts"`
	EditHistory     list[flexID]            `json:"edit_history_tweet_ids"`
	EditHistoryPost list[flexID]            `json:"edit_history_post_ids"`
	Withheld        object[withheldJSON]    `json:"withheld"`
	Author          object[userJSON]        `json:"author"` // flat

	statusJSON
}

// referenceJSON is {type, id}, with a whole tweet around it when flat.
type referenceJSON struct {
	Type flexString `json:"type"`
	tweetJSON
}

type noteJSON struct {
	Text     flexString           `json:"text"`
	Entities object[entitiesJSON] `json:"entities"`
}

// entitiesJSON holds v2 names, then those of v1.1.
type entitiesJSON struct {
	Hashtags objects[tagJSON]     `json:"hashtags"`
	Cashtags objects[tagJSON]     `json:"cashtags"`
	Mentions objects[mentionJSON] `json:"mentions"`
	URLs     objects[urlJSON]     `json:"urls"`

	Annotations seen                 `json:"annotations"`
	Symbols     objects[tagJSON]     `json:"symbols"`
	Users       objects[mentionJSON] `json:"user_mentions"`
	Media       objects[mediaJSON]   `json:"media"`
}

// given reports whether there was an entities object: {} is none.
func (e *entitiesJSON) given() bool {
	return e != nil && (e.Hashtags.seen || e.Cashtags.seen || e.Mentions.seen || e.URLs.seen ||
		bool(e.Annotations) || e.Symbols.seen || e.Users.seen || e.Media.seen)
}

// seen is true when there was a member of any value.
type seen bool

// UnmarshalJSONFrom reads any JSON value.
func (s *seen) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*s = true
	return dec.SkipValue()
}

type tagJSON struct {
	Tag  flexString `json:"tag"`
	Text flexString `json:"text"` // v1.1
}

type mentionJSON struct {
	Username   flexString `json:"username"`
	ID         flexID     `json:"id"`
	ScreenName flexString `json:"screen_name"` // v1.1
	IDStr      flexID     `json:"id_str"`      // v1.1
}

type urlJSON struct {
	URL      flexString `json:"url"`
	Expanded flexString `json:"expanded_url"`
	Title    flexString `json:"title"`
	MediaKey flexString `json:"media_key"`
}

type metricsJSON struct {
	Likes       flexInt `json:"like_count"`
	Retweets    flexInt `json:"retweet_count"`
	Reposts     flexInt `json:"repost_count"`
	Replies     flexInt `json:"reply_count"`
	Quotes      flexInt `json:"quote_count"`
	Bookmarks   flexInt `json:"bookmark_count"`
	Impressions flexInt `json:"impression_count"`
}

type attachmentsJSON struct {
	Keys  list[flexString]   `json:"media_keys"`
	Media objects[mediaJSON] `json:"media"` // flat
}

// mediaJSON holds v2 names, then those of v1.1.
type mediaJSON struct {
	Key     flexString `json:"media_key"`
	Type    flexString `json:"type"`
	URL     flexString `json:"url"` // v1.1: the link in the text
	Preview flexString `json:"preview_image_url"`
	Alt     flexString `json:"alt_text"`

	IDStr    flexID     `json:"id_str"`
	MediaURL flexString `json:"media_url_https"`
	AltV11   flexString `json:"ext_alt_text"`
}

// geoJSON is {place_id, coordinates: {type, coordinates: [lon, lat]}}, with a
// place inlined when flat; in v1.1 {type, coordinates: [lat, lon]}.
type geoJSON struct {
	PlaceID flexString `json:"place_id"`
	Point   pointJSON  `json:"coordinates"`
	placeJSON
}

// pointJSON is a GeoJSON point, or only its numbers.
type pointJSON struct {
	numbers []flexFloat
	bare    bool
}

// UnmarshalJSONFrom reads a JSON object or array.
func (p *pointJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = pointJSON{bare: dec.PeekKind() == '['}
	if p.bare {
		var l list[flexFloat]
		err := json.UnmarshalDecode(dec, &l)
		p.numbers = l.items
		return err
	}
	var o object[struct {
		Numbers list[flexFloat] `json:"coordinates"`
	}]
	err := json.UnmarshalDecode(dec, &o)
	p.numbers = o.or().Numbers.items
	return err
}

// placeJSON holds v2 names, then those of v1.1.
type placeJSON struct {
	ID          flexString      `json:"id"`
	FullName    flexString      `json:"full_name"`
	CountryCode flexString      `json:"country_code"`
	Geo         object[boxJSON] `json:"geo"`

	Bounds object[polygonJSON] `json:"bounding_box"`
}

type boxJSON struct {
	BBox list[flexFloat] `json:"bbox"` // west, south, east, north
}

type polygonJSON struct {
	Rings list[list[list[flexFloat]]] `json:"coordinates"` // of [lon, lat]
}

// userJSON holds v2 names, then those of v1.1.
type userJSON struct {
	ID          flexID                  `json:"id"`
	Username    flexString              `json:"username"`
	Name        flexString              `json:"name"`
	Description flexString              `json:"description"`
	Location    flexString              `json:"location"`
	Verified    flexBool                `json:"verified"`
	CreatedAt   flexString              `json:"created_at"`
	Image       flexString              `json:"profile_image_url"`
	Metrics     object[userMetricsJSON] `json:"public_metrics"`

	IDStr      flexID     `json:"id_str"`
	ScreenName flexString `json:"screen_name"`
	ImageHTTPS flexString `json:"profile_image_url_https"`
	Followers  flexInt    `json:"followers_count"`
	Friends    flexInt    `json:"friends_count"`
	Statuses   flexInt    `json:"statuses_count"`
}

type userMetricsJSON struct {
	Followers flexInt `json:"followers_count"`
	Following flexInt `json:"following_count"`
	Tweets    flexInt `json:"tweet_count"`
	Posts     flexInt `json:"post_count"`
}

type withheldJSON struct {
	Countries list[flexString] `json:"country_codes"`
	Scope     flexString       `json:"scope"`
}

type includesJSON struct {
	Users  objects[userJSON]  `json:"users"`
	Tweets objects[candidate] `json:"tweets"`
	Posts  objects[candidate] `json:"posts"`
	Places objects[placeJSON] `json:"places"`
	Media  objects[mediaJSON] `json:"media"`
}

type ruleJSON struct {
	ID  flexID     `json:"id"`
	Tag flexString `json:"tag"`
}

// twarcJSON is what twarc2 adds to a page.
type twarcJSON struct {
	RetrievedAt flexString `json:"retrieved_at"`
}

// statusJSON holds what only v1.1 has.
type statusJSON struct {
	IDStr     flexID               `json:"id_str"`
	FullText  flexString           `json:"full_text"`
	Extended  object[extendedJSON] `json:"extended_tweet"`
	Entities2 object[entitiesJSON] `json:"extended_entities"`
	Truncated flexBool             `json:"truncated"`
	User      object[userJSON]     `json:"user"`
	Retweeted seen                 `json:"retweeted"`

	Retweet  object[tweetJSON] `json:"retweeted_status"`
	Quoted   object[tweetJSON] `json:"quoted_status"`
	QuotedID flexID            `json:"quoted_status_id"`
	QuotedS  flexID            `json:"quoted_status_id_str"`
	ReplyTo  flexID            `json:"in_reply_to_status_id"`
	ReplyToS flexID            `json:"in_reply_to_status_id_str"`
	ReplyU   flexID            `json:"in_reply_to_user_id_str"`

	Coordinates pointJSON         `json:"coordinates"`
	Place       object[placeJSON] `json:"place"`
	Likes       flexInt           `json:"favorite_count"`
	Retweets    flexInt           `json:"retweet_count"`
	Replies     flexInt           `json:"reply_count"`
	Quotes      flexInt           `json:"quote_count"`

	WithheldIn    list[flexString] `json:"withheld_in_countries"`
	WithheldScope flexString       `json:"withheld_scope"`
}

type extendedJSON struct {
	FullText flexString           `json:"full_text"`
	Entities object[entitiesJSON] `json:"entities"`
	Media    object[entitiesJSON] `json:"extended_entities"`
}
