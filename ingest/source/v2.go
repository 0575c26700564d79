package source

import (
	"slices"
	"strings"

	"visualizer/schema"
)

// fromV2 fills in what a tweet of API v2 says, also when twarc2 has flattened
// it: then author, place and media stand in the tweet itself.
func (b builder) fromV2(w *tweetJSON) {
	t := b.t
	t.Source = b.opt(w.Source)
	t.ConversationID = schema.Opt(w.ConversationID)
	t.InReplyToUserID = firstID(w.InReplyToUserID)
	t.Author = b.author(w)
	t.Metrics = w.Metrics.or().metrics()
	if w.Withheld.v != nil {
		t.Withheld = b.withheld(w.Withheld.v.Countries.items, w.Withheld.v.Scope)
	}
	b.geo(w.Geo.v)
	b.references(w)
	b.editHistory(w)
	b.entities(w.NoteTweet.or().Entities.v, w.NotePost.or().Entities.v, w.Entities.v)
	b.attachments(w.Attachments.or())
	b.markOwnMedia()
}

func (b builder) author(w *tweetJSON) *schema.User {
	id := firstID(w.AuthorID)
	if u := b.users[string(id)]; u != nil && id != "" {
		return b.user(id, u)
	}
	return b.user(id, w.Author.v)
}

func (m *metricsJSON) metrics() schema.Metrics {
	return schema.Metrics{
		Likes:       m.Likes.ptr(),
		Retweets:    firstInt(m.Retweets, m.Reposts),
		Replies:     m.Replies.ptr(),
		Quotes:      m.Quotes.ptr(),
		Bookmarks:   m.Bookmarks.ptr(),
		Impressions: m.Impressions.ptr(),
	}
}

func (b builder) geo(g *geoJSON) {
	if g == nil {
		return
	}
	if !g.Point.bare {
		b.t.Location = point(g.Point.numbers)
	}
	place := &g.placeJSON
	if known := b.places[g.PlaceID.s]; known != nil {
		place = known
	}
	b.t.Place = b.place(g.PlaceID, place)
}

var referenceTypes = map[string]schema.ReferenceType{
	"retweeted":  schema.Retweeted,
	"quoted":     schema.Quoted,
	"replied_to": schema.RepliedTo,
}

func (b builder) references(w *tweetJSON) {
	for _, list := range [][]nestedJSON{w.Referenced.items, w.ReferencedPosts.items} {
		for i := range list {
			if typ, ok := referenceTypes[list[i].Type.s]; ok {
				b.refer(typ, list[i].id())
			}
		}
	}
	b.t.References = distinct(b.t.References)
}

// maxVersions is far more than the handful of edits that X allows. A longer
// history is damage, and would tie all its tweets together.
const maxVersions = 100

// editHistory lists the versions, this one included where there are any.
func (b builder) editHistory(w *tweetJSON) {
	var ids []string
	told := append(w.EditHistory.items, w.EditHistoryPost.items...)
	if len(told) > maxVersions {
		return
	}
	for _, id := range told {
		if schema.ValidID(string(id)) {
			ids = append(ids, string(id))
		}
	}
	if len(ids) > 0 && !slices.Contains(ids, b.t.ID) {
		ids = append(ids, b.t.ID)
	}
	b.t.EditHistoryIDs = distinct(ids)
}

// attachments lists the media: by key, those that are inlined, and those that
// only a link in the text names.
func (b builder) attachments(a *attachmentsJSON) {
	inlined := byKey(a.Media.items, func(m *mediaJSON) string { return m.Key.s })
	keys := b.strs(a.Keys.items)
	for i := range a.Media.items {
		keys = append(keys, a.Media.items[i].Key.s)
	}
	if len(keys) == 0 {
		for i := range b.t.URLs {
			keys = append(keys, string(b.t.URLs[i].MediaKey))
		}
	}
	for _, key := range distinct(keys) {
		if key == "" {
			continue
		}
		m := b.media[key]
		if m == nil {
			m = inlined[key]
		}
		b.addMedia(key, m)
	}
}

func (b builder) addMedia(key string, m *mediaJSON) {
	out := schema.Media{Key: schema.Opt(key)}
	if m != nil {
		out.Type, out.AltText = b.opt(m.Type), b.opt(m.Alt)
		out.URL = b.first(m.URL, m.Preview)
	}
	b.t.Media = append(b.t.Media, out)
}

// markOwnMedia keeps the media key of a link only where it is the tweet's own,
// and finds such links in records from before they had a key.
func (b builder) markOwnMedia() {
	if len(b.t.Media) == 0 {
		return
	}
	own := make(map[schema.Opt]bool, len(b.t.Media))
	for _, m := range b.t.Media {
		own[m.Key] = true
	}
	repeated := b.retweeted()
	for i := range b.t.URLs {
		u := &b.t.URLs[i]
		if id := mediaLinkOf(string(u.ExpandedURL)); u.MediaKey == "" && id != "" && (id == b.t.ID || id == repeated) {
			u.MediaKey = b.t.Media[0].Key
		}
		if !own[u.MediaKey] {
			u.MediaKey = ""
		}
	}
}

// retweeted returns the id of the tweet that this one repeats, or "".
func (b builder) retweeted() string {
	for _, r := range b.t.References {
		if r.Type == schema.Retweeted {
			return r.ID
		}
	}
	return ""
}

// mediaLinkOf returns the id of the tweet to whose photo or video a link
// leads, or "": https://twitter.com/<user>/status/<id>/photo/1.
func mediaLinkOf(link string) string {
	_, rest, _ := strings.Cut(link, "/status/")
	id, kind, _ := strings.Cut(rest, "/")
	if strings.HasPrefix(kind, "photo/") || strings.HasPrefix(kind, "video/") {
		return id
	}
	return ""
}

// addRules adds the filtered-stream rules that matched the record.
func (p *page) addRules(t *schema.Tweet) {
	b := builder{page: p, t: t}
	for _, r := range p.rules {
		if r.ID != "" {
			t.MatchingRules = append(t.MatchingRules, schema.MatchingRule{ID: string(r.ID), Tag: b.opt(r.Tag)})
		}
	}
}
