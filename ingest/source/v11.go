package source

import (
	"cmp"
	"html"
	"strings"

	"visualizer/schema"
)

// v11 reports whether w is a status of API v1.1. Text, date and language are
// named alike in v2.
func (w *tweetJSON) v11() bool {
	return w.IDStr != "" || w.FullText.valid || bool(w.Retweeted) || w.User.v != nil && w.CreatedAt.valid
}

// fromV11 fills in what a status of API v1.1 says, in any of its modes.
func (b builder) fromV11(w *tweetJSON) {
	t := b.t
	t.Source = clientName(b.opt(w.Source))
	t.InReplyToUserID = firstID(w.ReplyUserStr, w.InReplyToUserID)
	t.Author = b.user("", w.User.v)
	t.Truncated = w.Truncated.b && w.FullText.s == "" && w.Extended.or().FullText.s == ""
	t.Metrics = schema.Metrics{
		Likes:    w.Likes.ptr(),
		Retweets: w.Retweets.ptr(),
		Replies:  w.Replies.ptr(),
		Quotes:   w.Quotes.ptr(),
	}
	t.Withheld = b.withheld(w.WithheldIn.items, w.WithheldScope)
	b.geoV11(w)
	b.referencesV11(w)
	b.entities(w.Extended.or().Entities.v, w.Entities.v)
	b.mediaV11(w)
}

// clientName returns the name in a source, which v1.1 delivers as a link:
// <a href="https://app.example" rel="nofollow">Example App</a>.
func clientName(source schema.Opt) schema.Opt {
	s := string(source)
	if !strings.HasPrefix(s, "<a ") || !strings.HasSuffix(s, "</a>") {
		return source
	}
	_, name, _ := strings.Cut(strings.TrimSuffix(s, "</a>"), ">")
	return schema.Opt(html.UnescapeString(name))
}

// geoV11 reads coordinates, which are [lon, lat]; else the deprecated geo,
// which is [lat, lon].
func (b builder) geoV11(w *tweetJSON) {
	b.t.Location = point(w.Coordinates.numbers)
	if old := w.Geo.or().Point; w.Coordinates.numbers == nil && old.bare && len(old.numbers) >= 2 {
		b.t.Location = point([]flexFloat{old.numbers[1], old.numbers[0]})
	}
	if w.Place.v != nil {
		b.t.Place = b.place(flexString{}, w.Place.v)
	}
}

func (b builder) referencesV11(w *tweetJSON) {
	b.refer(schema.Retweeted, w.Retweet.or().id())
	b.refer(schema.Quoted, w.QuotedIDStr, w.QuotedID, w.Quoted.or().id())
	b.refer(schema.RepliedTo, w.ReplyToStr, w.ReplyTo)
}

// mediaV11 lists the media. The extended entities have all of them, the
// entities only the first.
func (b builder) mediaV11(w *tweetJSON) {
	x := w.Extended.or()
	for _, e := range []*entitiesJSON{x.Media.v, x.Entities.v, w.ExtendedEntities.v, w.Entities.v} {
		if e == nil || len(e.Media.items) == 0 {
			continue
		}
		for i := range e.Media.items {
			m := &e.Media.items[i]
			b.t.Media = append(b.t.Media, schema.Media{
				Key: mediaKey(m), Type: b.opt(m.Type), URL: b.opt(m.MediaURL), AltText: b.opt(m.AltV11),
			})
		}
		return
	}
}

// mediaKey returns the key that v2 gives to a medium of v1.1.
func mediaKey(m *mediaJSON) schema.Opt {
	if m.IDStr == "" {
		return ""
	}
	prefix := map[string]string{"photo": "3_", "video": "7_", "animated_gif": "16_"}[m.Type.s]
	return schema.Opt(cmp.Or(prefix, "3_") + string(m.IDStr))
}
