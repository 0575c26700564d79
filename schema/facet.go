package schema

import (
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// TweetType is what a tweet is to others. A tweet can be both a reply and a
// quote.
type TweetType string

// The types of tweets.
const (
	TypeOriginal TweetType = "ORIGINAL" // none of the others
	TypeReply    TweetType = "REPLY"    // answers a tweet or a user
	TypeRetweet  TweetType = "RETWEET"  // repeats a tweet
	TypeQuote    TweetType = "QUOTE"    // quotes a tweet and doesn't repeat one
)

// Types returns the tweet's types, at least one.
func (t *Tweet) Types() []TweetType {
	refers := func(to ReferenceType) bool {
		return slices.ContainsFunc(t.References, func(r Reference) bool { return r.Type == to })
	}
	var types []TweetType
	if refers(RepliedTo) || t.InReplyToUserID != "" {
		types = append(types, TypeReply)
	}
	switch {
	case refers(Retweeted):
		types = append(types, TypeRetweet)
	case refers(Quoted):
		types = append(types, TypeQuote)
	}
	if types == nil {
		return []TweetType{TypeOriginal}
	}
	return types
}

// HasMedia reports whether media are attached, be it that only their key is
// known.
func (t *Tweet) HasMedia() bool {
	return len(t.Media) > 0 || slices.ContainsFunc(t.URLs, ownMedia)
}

// HasLinks reports whether the text has a link other than to the tweet's own
// media.
func (t *Tweet) HasLinks() bool {
	return slices.ContainsFunc(t.URLs, func(u URL) bool { return !ownMedia(u) })
}

func ownMedia(u URL) bool { return u.MediaKey != "" }

// LinkHosts returns the hosts that the tweet's links lead to, as LinkHost
// writes them, each once.
func (t *Tweet) LinkHosts() []string {
	var hosts []string
	for _, u := range t.URLs {
		if ownMedia(u) {
			continue
		}
		link := u.ExpandedURL
		if link == "" {
			link = u.URL
		}
		if h := LinkHost(string(link)); h != "" && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// LinkHost returns the host of a link, or of a bare host: folded, in its
// Unicode form, without user, port, a leading www. and a final dot; "" when
// there is none. What stands behind the host may be anything.
func LinkHost(link string) string {
	host := strings.TrimSpace(link)
	if _, rest, found := strings.Cut(host, "//"); found {
		host = rest
	}
	if end := strings.IndexAny(host, "/\\?#"); end >= 0 {
		host = host[:end]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if v6, _, found := strings.Cut(strings.TrimPrefix(host, "["), "]"); found {
		return Fold(v6)
	}
	host, _, _ = strings.Cut(host, ":")
	host = Fold(strings.TrimSuffix(host, "."))
	if strings.ContainsAny(host, " \t\n") {
		return ""
	}
	if unicode, err := idna.Punycode.ToUnicode(host); err == nil {
		host = Fold(unicode)
	}
	return strings.TrimPrefix(host, "www.")
}
