package schema

// Parts is a set of a tweet's fields. Each is one of Tweet; its id is in every
// set, and rawText and text are one.
type Parts uint64

// AllParts holds every field.
const AllParts = ^Parts(0)

// PartsOf returns the set of fields by their names in JSON, which are those of
// GraphQL too. A name that is none gives all, so that nothing is ever missing.
func PartsOf(names ...string) Parts {
	var set Parts
	for _, name := range names {
		part, known := parts[name]
		if !known {
			return AllParts
		}
		set |= part.bits
	}
	return set
}

// ReadTweet reads parts of a tweet from its JSON in Redis. The other fields of
// what it returns are absent.
func ReadTweet(json string, want Parts) (*Tweet, error) {
	t := new(Tweet)
	r := reader{json: json}
	want |= parts["id"].bits
	var seen Parts
	r.object(func(name string) {
		part, known := parts[name]
		switch {
		case !known, part.bit&seen != 0:
			r.failed = true
		case part.bits&want == 0:
			r.skip()
		default:
			part.read(&r, t)
		}
		seen |= part.bit
	})
	if r.failed || r.at != len(json) {
		t = new(Tweet)
		return t, Decode([]byte(json), t)
	}
	t.complete()
	return t, nil
}

// part is a field of a tweet.
type part struct {
	bit  Parts
	bits Parts // of the field and of those that it is not read without
	read func(*reader, *Tweet)
}

// parts are the fields by name.
var parts = numbered([]namedPart{
	{"id", func(r *reader, t *Tweet) { t.ID = r.text() }},
	{"rawText", func(r *reader, t *Tweet) { t.RawText = r.text() }},
	{"text", func(r *reader, t *Tweet) { t.Text = r.text() }},
	{"originalText", func(r *reader, t *Tweet) { t.OriginalText = r.opt() }},
	{"createdAt", func(r *reader, t *Tweet) { t.CreatedAt = r.moment() }},
	{"createdAtDerived", func(r *reader, t *Tweet) { t.CreatedAtDerived = r.boolean() }},
	{"lang", func(r *reader, t *Tweet) { t.Lang = r.opt() }},
	{"source", func(r *reader, t *Tweet) { t.Source = r.opt() }},
	{"conversationId", func(r *reader, t *Tweet) { t.ConversationID = r.opt() }},
	{"author", func(r *reader, t *Tweet) { t.Author = one(r, userMembers) }},
	{"inReplyToUserId", func(r *reader, t *Tweet) { t.InReplyToUserID = r.opt() }},
	{"hashtags", func(r *reader, t *Tweet) { t.Hashtags = r.texts() }},
	{"cashtags", func(r *reader, t *Tweet) { t.Cashtags = r.texts() }},
	{"mentions", func(r *reader, t *Tweet) { t.Mentions = listOf(r, mentionMembers) }},
	{"urls", func(r *reader, t *Tweet) { t.URLs = listOf(r, urlMembers) }},
	{"media", func(r *reader, t *Tweet) { t.Media = listOf(r, mediaMembers) }},
	{"metrics", func(r *reader, t *Tweet) { members(r, &t.Metrics, metricsMembers) }},
	{"location", func(r *reader, t *Tweet) { t.Location = one(r, locationMembers) }},
	{"place", func(r *reader, t *Tweet) { t.Place = one(r, placeMembers) }},
	{"references", func(r *reader, t *Tweet) { t.References = listOf(r, referenceMembers) }},
	{"possiblySensitive", func(r *reader, t *Tweet) { t.PossiblySensitive = new(r.boolean()) }},
	{"withheld", func(r *reader, t *Tweet) { t.Withheld = one(r, withheldMembers) }},
	{"matchingRules", func(r *reader, t *Tweet) { t.MatchingRules = listOf(r, matchingRuleMembers) }},
	{"editHistoryIds", func(r *reader, t *Tweet) { t.EditHistoryIDs = r.texts() }},
	{"supersededBy", func(r *reader, t *Tweet) { t.SupersededBy = r.opt() }},
	{"observedAt", func(r *reader, t *Tweet) { t.ObservedAt = r.moment() }},
	{"repaired", func(r *reader, t *Tweet) { t.Repaired = r.boolean() }},
	{"truncated", func(r *reader, t *Tweet) { t.Truncated = r.boolean() }},
})

type namedPart struct {
	name string
	read func(*reader, *Tweet)
}

// numbered gives each part its bit. The texts are one: the one is the other
// where the JSON has one.
func numbered(named []namedPart) map[string]part {
	parts := map[string]part{}
	for i, p := range named {
		parts[p.name] = part{bit: 1 << i, bits: 1 << i, read: p.read}
	}
	raw, text := parts["rawText"], parts["text"]
	raw.bits |= text.bit
	text.bits |= raw.bit
	parts["rawText"], parts["text"] = raw, text
	return parts
}
