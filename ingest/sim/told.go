package sim

import (
	"slices"

	"visualizer/schema"
)

// told returns tweet s as line e tells it.
func (w *World) told(e *envelope, s *status) *schema.Tweet {
	shown, sensitive := w.shownAt(s), s.sensitive
	t := &schema.Tweet{
		ID:                formatID(s.id),
		RawText:           string(s.whole().text),
		CreatedAt:         &shown,
		Lang:              schema.Opt(s.lang),
		Source:            schema.Opt(s.source),
		ConversationID:    schema.Opt(formatID(s.conversation)),
		Author:            w.toldUser(e, s.author),
		Metrics:           s.counts.told(),
		PossiblySensitive: &sensitive,
		EditHistoryIDs:    formatIDs(s.history),
	}
	t.Text = schema.DecodeText(t.RawText)
	if s.replyTo != noOne {
		t.InReplyToUserID = schema.Opt(formatID(w.people.all[s.replyTo].id))
	}
	for _, ref := range s.refs {
		t.References = append(t.References, schema.Reference{Type: ref.kind, ID: formatID(ref.id)})
		if ref.kind == schema.Retweeted && e.main == s && e.beside != nil && e.beside.id == ref.id {
			t.OriginalText = schema.Opt(schema.DecodeText(string(e.beside.whole().text)))
		}
	}
	if s.withheld != "" {
		t.Withheld = &schema.Withheld{CountryCodes: []string{s.withheld}}
	}
	w.tellEntities(t, s)
	w.tellPlace(t, e, s)
	for i := range s.media {
		t.Media = append(t.Media, s.media[i].told(e.main == s))
	}
	return t
}

// toldUser returns what line e tells of an author: only the id when the API
// didn't find it.
func (w *World) toldUser(e *envelope, n int) *schema.User {
	a := w.people.all[n] // the counters go on
	u := &schema.User{ID: formatID(a.id)}
	if !e.hasUser(n) {
		return u
	}
	u.Username, u.Name, u.Description = schema.Opt(a.username), schema.Opt(a.name), schema.Opt(a.description)
	u.FollowersCount, u.FollowingCount, u.TweetCount = &a.followers, &a.following, &a.tweets
	u.Verified, u.Location, u.CreatedAt = &a.verified, schema.Opt(a.location), &a.createdAt
	u.ProfileImageURL = schema.Opt(avatarPrefix + a.username + avatarSuffix)
	return u
}

func (c counts) told() schema.Metrics {
	return schema.Metrics{
		Likes: &c.likes, Retweets: &c.retweets, Replies: &c.replies,
		Quotes: &c.quotes, Bookmarks: &c.bookmarks, Impressions: &c.impressions,
	}
}

// tellEntities names each tag and each user of the text once.
func (w *World) tellEntities(t *schema.Tweet, s *status) {
	for _, e := range s.whole().ents {
		switch e.kind {
		case hashtag:
			t.Hashtags = addOnce(t.Hashtags, e.name)
		case cashtag:
			t.Cashtags = addOnce(t.Cashtags, e.name)
		case mention:
			w.tellMention(t, &e)
		case link:
			t.URLs = append(t.URLs, w.toldLink(s, &e.link))
		}
	}
}

func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// tellMention adds a user, or the id of one who was there without it.
func (w *World) tellMention(t *schema.Tweet, e *entity) {
	name := schema.Opt(e.name)
	i := slices.IndexFunc(t.Mentions, func(m schema.Mention) bool { return m.Username == name })
	if i < 0 {
		i = len(t.Mentions)
		t.Mentions = append(t.Mentions, schema.Mention{Username: name})
	}
	if e.withID {
		t.Mentions[i].ID = schema.Opt(formatID(w.people.all[e.user].id))
	}
}

func (w *World) toldLink(s *status, t *target) schema.URL {
	u := schema.URL{
		URL:         schema.Opt(t.appendShort(nil)),
		ExpandedURL: schema.Opt(w.expanded(nil, s, t)),
	}
	if t.media {
		u.MediaKey = schema.Opt(s.media[0].appendKey(nil))
	}
	if t.title > 0 {
		u.Title = schema.Opt(titles[t.title-1])
	}
	return u
}

func (w *World) tellPlace(t *schema.Tweet, e *envelope, s *status) {
	if s.hasPoint {
		t.Location = schema.NewLocation(degrees(s.lat), degrees(s.lon))
	}
	if s.place == nowhere {
		return
	}
	p := &w.places[s.place]
	t.Place = &schema.Place{ID: p.id}
	if e.main.place == s.place {
		t.Place.FullName, t.Place.CountryCode = schema.Opt(p.fullName()), schema.Opt(p.code)
		t.Place.BBox = []float64{degrees(p.west), degrees(p.south), degrees(p.east), degrees(p.north)}
	}
}

// told returns the media object, or only its key.
func (m *medium) told(whole bool) schema.Media {
	t := schema.Media{Key: schema.Opt(m.appendKey(nil))}
	if !whole {
		return t
	}
	t.Type, t.URL = schema.Opt(mediaNames[m.kind]), schema.Opt(m.appendURL(nil))
	if m.alt > 0 {
		t.AltText = schema.Opt(altTexts[m.alt-1])
	}
	return t
}
