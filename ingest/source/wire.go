package source

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tweetJSON is a tweet as any of the formats delivers it: API v2, v2 flattened
// by twarc2, and v1.1 in all its modes. No member means one thing here and
// another there, but for "geo".
type tweetJSON struct {
	raw rawJSON // of a candidate

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
	Referenced      objects[nestedJSON]     `json:"referenced_tweets"`
	ReferencedPosts objects[nestedJSON]     `json:"referenced_posts"`
	EditHistory     list[flexID]            `json:"edit_history_tweet_ids"`
	EditHistoryPost list[flexID]            `json:"edit_history_post_ids"`
	Withheld        object[withheldJSON]    `json:"withheld"`
	Author          object[userJSON]        `json:"author"` // flat

	statusJSON
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

// polygonJSON is {coordinates: [ring, …]}, a ring being a list of [lon, lat].
type polygonJSON struct {
	Rings firstRing `json:"coordinates"`
}

// firstRing is the outer one of a polygon's rings.
type firstRing []list[flexFloat]

// UnmarshalJSONFrom reads a JSON array of rings.
func (f *firstRing) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = nil
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	first := true
	return eachElement(dec, func() error {
		if !first {
			return dec.SkipValue()
		}
		first = false
		var ring list[list[flexFloat]]
		err := json.UnmarshalDecode(dec, &ring)
		*f = ring.items
		return err
	})
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

// statusJSON holds what only v1.1 has.
type statusJSON struct {
	IDStr            flexID               `json:"id_str"`
	FullText         flexString           `json:"full_text"`
	Extended         object[extendedJSON] `json:"extended_tweet"`
	ExtendedEntities object[entitiesJSON] `json:"extended_entities"`
	Truncated        flexBool             `json:"truncated"`
	User             object[userJSON]     `json:"user"`
	Retweeted        seen                 `json:"retweeted"`

	Retweet      object[nestedJSON] `json:"retweeted_status"`
	Quoted       object[nestedJSON] `json:"quoted_status"`
	QuotedID     flexID             `json:"quoted_status_id"`
	QuotedIDStr  flexID             `json:"quoted_status_id_str"`
	ReplyTo      flexID             `json:"in_reply_to_status_id"`
	ReplyToStr   flexID             `json:"in_reply_to_status_id_str"`
	ReplyUserStr flexID             `json:"in_reply_to_user_id_str"`

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
