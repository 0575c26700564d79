package sim

// target is what a link in a text leads to.
type target struct {
	code uint64 // makes the short form
	// host and slug are indexes of an outside page, unless one of the others
	// is set.
	host, slug int32
	title      int32 // index plus one; 0 has none
	media      bool  // the tweet's own picture
	tweet      uint64
	user       string // of tweet
}

const shortPrefix = "https://t.example/"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// shortLen is how many characters stand behind shortPrefix.
const shortLen = 10

// appendShort appends the link as it stands in the text.
func (t *target) appendShort(b []byte) []byte {
	b = append(b, shortPrefix...)
	n := t.code
	for range shortLen {
		b = append(b, base62[n%62])
		n /= 62
	}
	return b
}

// outside appends host and path of an outside page.
func (t *target) outside(b []byte) []byte {
	b = append(b, hostWords[t.host]...)
	b = append(b, ".example/"...)
	return append(b, slugs[t.slug]...)
}

// expanded appends the full address, which for media depends on the tweet it
// belongs to.
func (w *World) expanded(b []byte, s *status, t *target) []byte {
	b = append(b, "https://"...)
	if !t.media && t.tweet == 0 {
		return t.outside(b)
	}
	user, id := t.user, t.tweet
	if t.media {
		user, id = w.people.all[s.author].username, s.id
	}
	b = append(b, "x.example/"...)
	b = append(b, user...)
	b = append(b, "/status/"...)
	b = appendUint(b, id)
	if t.media {
		b = append(b, "/photo/1"...)
	}
	return b
}

// addLink appends a link to c.
func (w *World) addLink(c *content, t target) {
	t.code = w.rng.Uint64()
	c.space()
	start := int32(c.runes)
	c.text = t.appendShort(c.text)
	c.runes += len(shortPrefix) + shortLen
	c.ents = append(c.ents, entity{kind: link, start: start, end: int32(c.runes), user: noOne, link: t})
}

// page returns a link to an outside page.
func (w *World) page() target {
	t := target{host: int32(w.hosts.pick(w.rng)), slug: int32(w.rng.IntN(len(slugs)))}
	if w.rng.IntN(3) > 0 {
		t.title = 1 + int32(w.rng.IntN(len(titles)))
	}
	return t
}
