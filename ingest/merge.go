package ingest

import (
	"maps"
	"unicode/utf8"

	"visualizer/schema"
)

// field is a part of a tweet that an observation tells or doesn't. Of two
// observations the one that weighs more wins, and where both weigh the same
// the one of higher rank. So counters and profiles, which weigh 1, go by rank
// alone; a text goes by how much of it there is. Since this is a maximum for
// each field by itself, the order in which observations arrive makes no
// difference.
type field struct {
	name   string
	weight func(*schema.Tweet) int // 0: not told
	take   func(dst, src *schema.Tweet)
}

// fields is every part of a tweet but its id.
var fields = append(append([]field{
	{"text", textWeight, func(d, s *schema.Tweet) { d.RawText, d.Text, d.Truncated = s.RawText, s.Text, s.Truncated }},
	{"originalText", func(t *schema.Tweet) int { return len(t.OriginalText) }, func(d, s *schema.Tweet) { d.OriginalText = s.OriginalText }},
	{"createdAt", createdAtWeight, func(d, s *schema.Tweet) {
		d.CreatedAt, d.CreatedAtDerived = s.CreatedAt, s.CreatedAtDerived
	}},
	{"repaired", func(t *schema.Tweet) int { return told(t.Repaired) }, func(d, s *schema.Tweet) { d.Repaired = s.Repaired }},
	{"observedAt", func(t *schema.Tweet) int { return told(t.ObservedAt != nil) }, func(d, s *schema.Tweet) { d.ObservedAt = s.ObservedAt }},
	text("lang", func(t *schema.Tweet) *schema.Opt { return &t.Lang }),
	text("source", func(t *schema.Tweet) *schema.Opt { return &t.Source }),
	text("conversationId", func(t *schema.Tweet) *schema.Opt { return &t.ConversationID }),
	text("inReplyToUserId", func(t *schema.Tweet) *schema.Opt { return &t.InReplyToUserID }),
	list("hashtags", func(t *schema.Tweet) *[]string { return &t.Hashtags }),
	list("cashtags", func(t *schema.Tweet) *[]string { return &t.Cashtags }),
	list("urls", func(t *schema.Tweet) *[]schema.URL { return &t.URLs }),
	list("references", func(t *schema.Tweet) *[]schema.Reference { return &t.References }),
	list("matchingRules", func(t *schema.Tweet) *[]schema.MatchingRule { return &t.MatchingRules }),
	list("editHistoryIds", func(t *schema.Tweet) *[]string { return &t.EditHistoryIDs }),
	{"mentions", mentionsWeight, func(d, s *schema.Tweet) { d.Mentions = s.Mentions }},
	{"media", mediaWeight, func(d, s *schema.Tweet) { d.Media = s.Media }},
	{"place", placeWeight, func(d, s *schema.Tweet) { d.Place = s.Place }},
	pointer("location", func(t *schema.Tweet) **schema.Location { return &t.Location }),
	pointer("possiblySensitive", func(t *schema.Tweet) **bool { return &t.PossiblySensitive }),
	pointer(fieldWithheld, func(t *schema.Tweet) **schema.Withheld { return &t.Withheld }),
	pointer("likes", func(t *schema.Tweet) **int64 { return &t.Metrics.Likes }),
	pointer("retweets", func(t *schema.Tweet) **int64 { return &t.Metrics.Retweets }),
	pointer("replies", func(t *schema.Tweet) **int64 { return &t.Metrics.Replies }),
	pointer("quotes", func(t *schema.Tweet) **int64 { return &t.Metrics.Quotes }),
	pointer("bookmarks", func(t *schema.Tweet) **int64 { return &t.Metrics.Bookmarks }),
	pointer("impressions", func(t *schema.Tweet) **int64 { return &t.Metrics.Impressions }),
}, author), profile...)

// fieldWithheld is the one field that notices tell as well.
const fieldWithheld = "withheld"

// author is which user the profile below belongs to.
var author = field{"author", func(t *schema.Tweet) int { return told(t.Author != nil) }, func(d, s *schema.Tweet) {
	if d.Author == nil {
		d.Author = &schema.User{ID: s.Author.ID}
	}
}}

// profile is what a tweet's record tells of its author.
var profile = []field{
	ofAuthor(text(schema.RankUsername, func(t *schema.Tweet) *schema.Opt { return &t.Author.Username })),
	ofAuthor(text("author.name", func(t *schema.Tweet) *schema.Opt { return &t.Author.Name })),
	ofAuthor(text("author.description", func(t *schema.Tweet) *schema.Opt { return &t.Author.Description })),
	ofAuthor(text("author.location", func(t *schema.Tweet) *schema.Opt { return &t.Author.Location })),
	ofAuthor(text("author.profileImageUrl", func(t *schema.Tweet) *schema.Opt { return &t.Author.ProfileImageURL })),
	ofAuthor(pointer("author.followersCount", func(t *schema.Tweet) **int64 { return &t.Author.FollowersCount })),
	ofAuthor(pointer("author.followingCount", func(t *schema.Tweet) **int64 { return &t.Author.FollowingCount })),
	ofAuthor(pointer("author.tweetCount", func(t *schema.Tweet) **int64 { return &t.Author.TweetCount })),
	ofAuthor(pointer("author.verified", func(t *schema.Tweet) **bool { return &t.Author.Verified })),
	ofAuthor(pointer("author.createdAt", func(t *schema.Tweet) **schema.Time { return &t.Author.CreatedAt })),
	ofAuthor(pointer("author.observedAt", func(t *schema.Tweet) **schema.Time { return &t.Author.ObservedAt })),
}

// ofAuthor makes a field of the profile count only for tweets with an author.
func ofAuthor(f field) field {
	weight := f.weight
	f.weight = func(t *schema.Tweet) int {
		if t.Author == nil {
			return 0
		}
		return weight(t)
	}
	return f
}

func text(name string, at func(*schema.Tweet) *schema.Opt) field {
	return field{name, func(t *schema.Tweet) int { return told(*at(t) != "") }, func(d, s *schema.Tweet) { *at(d) = *at(s) }}
}

func pointer[T any](name string, at func(*schema.Tweet) **T) field {
	return field{name, func(t *schema.Tweet) int { return told(*at(t) != nil) }, func(d, s *schema.Tweet) { *at(d) = *at(s) }}
}

func list[T any](name string, at func(*schema.Tweet) *[]T) field {
	return field{name, func(t *schema.Tweet) int { return len(*at(t)) }, func(d, s *schema.Tweet) { *at(d) = *at(s) }}
}

func told(b bool) int {
	if b {
		return 1
	}
	return 0
}

// textWeight: a whole text is fuller than a cut one, and a longer one fuller
// than a shorter.
func textWeight(t *schema.Tweet) int {
	weight := 1 + utf8.RuneCountInString(t.RawText)
	if !t.Truncated {
		weight += schema.MaxEventBytes
	}
	return weight
}

func createdAtWeight(t *schema.Tweet) int {
	switch {
	case t.CreatedAt == nil:
		return 0
	case t.CreatedAtDerived:
		return 1
	}
	return 2
}

// More items are fuller, and among as many those that tell more.

func mentionsWeight(t *schema.Tweet) int {
	weight := 0
	for _, m := range t.Mentions {
		weight += full + told(m.ID != "")
	}
	return weight
}

func mediaWeight(t *schema.Tweet) int {
	weight := 0
	for _, m := range t.Media {
		weight += full + told(m.Type != "") + told(m.URL != "") + told(m.AltText != "")
	}
	return weight
}

// full is more than the attributes of one item can add.
const full = 10

func placeWeight(t *schema.Tweet) int {
	if t.Place == nil {
		return 0
	}
	return 1 + told(t.Place.FullName != "") + told(t.Place.CountryCode != "") + told(t.Place.BBox != nil)
}

// rankOf is the rank of an observation at a place in the stream.
func rankOf(t *schema.Tweet, place uint64) schema.Rank {
	r := schema.Rank{Place: place}
	if t.ObservedAt != nil {
		r.Observed = *t.ObservedAt
	}
	return r
}

// merge adds an observation to what is known of a tweet and returns the new
// document; known itself is not changed.
func merge(known *schema.Document, seen *schema.Tweet, rank schema.Rank) schema.Document {
	t := known.Tweet
	if a, b := t.Author, seen.Author; a != nil && b != nil && a.ID != b.ID {
		// Two records disagree on who wrote it: no mixed profile may come of
		// that, so one of them has no say.
		if known.Ranks.Of(author.name).Less(rank) {
			t.Author = nil
		} else {
			other := *seen
			other.Author = nil
			seen = &other
		}
	}
	if t.Author != nil {
		user := *t.Author
		t.Author = &user
	}
	ranks := make(map[string]schema.Rank, len(fields))
	for _, f := range fields {
		had, has := f.weight(&t), f.weight(seen)
		was := known.Ranks.Of(f.name)
		switch {
		case has == 0 && had == 0:
		case has > had, has == had && was.Less(rank):
			f.take(&t, seen)
			ranks[f.name] = rank
		default:
			ranks[f.name] = was
		}
	}
	return schema.Document{Tweet: t, Ranks: pack(ranks, highest(known.Ranks.Top, rank)), Own: known.Own}
}

func highest(a, b schema.Rank) schema.Rank {
	if a.Less(b) {
		return b
	}
	return a
}

// pack keeps the ranks that differ from top.
func pack(ranks map[string]schema.Rank, top schema.Rank) schema.Ranks {
	maps.DeleteFunc(ranks, func(_ string, r schema.Rank) bool { return r == top })
	if len(ranks) == 0 {
		ranks = nil
	}
	return schema.Ranks{Top: top, Others: ranks}
}
