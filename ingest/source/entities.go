package source

import (
	"slices"
	"strings"

	"visualizer/schema"
)

// entities fills in what the entities of a tweet and of its long form name,
// the fuller ones first. A tweet without any gets those that twitter-text
// finds in its text.
func (b builder) entities(all ...*entitiesJSON) {
	given := false
	var mentions []mentionJSON
	for _, e := range all {
		if !e.given() {
			continue
		}
		given = true
		b.t.Hashtags = b.tags(b.t.Hashtags, e.Hashtags.items)
		b.t.Cashtags = b.tags(b.tags(b.t.Cashtags, e.Cashtags.items), e.Symbols.items)
		b.urls(e.URLs.items)
		mentions = append(append(mentions, e.Mentions.items...), e.Users.items...)
	}
	if !given {
		extractEntities(b.t)
		return
	}
	b.mentions(mentions)
	b.t.Hashtags = distinct(b.t.Hashtags)
	b.t.Cashtags = distinct(b.t.Cashtags)
	b.t.URLs = distinct(b.t.URLs)
}

func (b builder) tags(out []string, tags []tagJSON) []string {
	for i := range tags {
		if tag := b.first(tags[i].Tag, tags[i].Text); tag != "" {
			out = append(out, string(tag))
		}
	}
	return out
}

func (b builder) urls(urls []urlJSON) {
	for i := range urls {
		u := schema.URL{
			URL:         b.opt(urls[i].URL),
			ExpandedURL: b.opt(urls[i].Expanded),
			Title:       b.opt(urls[i].Title),
			MediaKey:    b.opt(urls[i].MediaKey),
		}
		if u.URL != "" || u.ExpandedURL != "" {
			b.t.URLs = append(b.t.URLs, u)
		}
	}
}

// mentions lists each user once: the long form may name those again that the
// short one names, with or without their id.
func (b builder) mentions(mentions []mentionJSON) {
	known := make(map[string]int, len(mentions))
	for i := range mentions {
		m := schema.Mention{
			Username: b.first(mentions[i].Username, mentions[i].ScreenName),
			ID:       firstID(mentions[i].IDStr, mentions[i].ID),
		}
		b.t.Mentions = addMention(b.t.Mentions, known, m)
	}
}

func addMention(out []schema.Mention, known map[string]int, m schema.Mention) []schema.Mention {
	key := "@" + strings.ToLower(string(m.Username))
	if m.Username == "" {
		key = string(m.ID)
	}
	at, again := known[key]
	switch {
	case key == "":
	case !again:
		known[key] = len(out)
		out = append(out, m)
	case out[at].ID == "":
		out[at].ID = m.ID
	}
	return out
}

// fewItems is how many items are compared with each other faster than hashed.
const fewItems = 16

// distinct drops what was there before, in place.
func distinct[T comparable](items []T) []T {
	if len(items) < 2 {
		return items
	}
	var known map[T]bool
	if len(items) > fewItems {
		known = make(map[T]bool, len(items))
	}
	out := items[:0]
	for _, item := range items {
		if known == nil && slices.Contains(out, item) || known[item] {
			continue
		}
		if known != nil {
			known[item] = true
		}
		out = append(out, item)
	}
	return out
}
