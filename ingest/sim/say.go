package sim

// say writes the text of s: sentences, tags, mentions, links and emoji as its
// language code promises.
func (w *World) say(s *status, long bool) {
	c := &s.short
	switch s.lang {
	case "zxx":
		for range 1 + w.rng.IntN(4) {
			c.space()
			c.add(pick(w.rng, emoji))
		}
	case "und":
		c.space()
		c.add(pick(w.rng, quips))
		w.decorate(s)
	case "qme":
		s.media = append(s.media, w.picture())
	case "qht":
		w.addTags(s, 2+w.rng.IntN(3))
	default:
		w.sentences(s, long)
		w.decorate(s)
		w.addTags(s, w.tagCount())
	}
}

// sentences writes one to three of them, or as many as make a long post.
func (w *World) sentences(s *status, long bool) {
	n, least := 1, 0
	if w.rng.IntN(3) == 0 {
		n = 2 + w.rng.IntN(2)
	}
	if long {
		least = longLen + 50 + w.rng.IntN(900)
	}
	for i := 0; i < n || s.short.runes < least; i++ {
		w.sentence(s, i == 0)
		if long && w.rng.IntN(4) == 0 {
			s.short.add("\n\n")
		}
	}
}

// sentence writes one sentence. The first one tells the topic.
func (w *World) sentence(s *status, first bool) {
	l, c := &spoken[s.spoken], &s.short
	c.space()
	for i, part := range l.parts {
		if i > 0 {
			c.add(l.gap)
		}
		at, n := c.runes, w.rng.IntN(len(part))
		c.add(part[n])
		if i == subjectPart && first {
			s.subject = [2]int32{int32(at), int32(c.runes)}
			s.topic = n * len(topics) / len(part)
		}
	}
	c.add(l.stop)
}

// tagCount is how many hashtags a tweet has: mostly none.
func (w *World) tagCount() int {
	switch x := w.rng.IntN(100); {
	case x < 60:
		return 0
	case x < 84:
		return 1
	case x < 94:
		return 2
	}
	return 3 + w.rng.IntN(3)
}

// fullwidthSign is the other sign that starts a hashtag, from Japanese
// keyboards.
const fullwidthSign = "＃"

func (w *World) addTags(s *status, n int) {
	for range n {
		tag, sign := w.tag(s.spoken, s.topic), "#"
		if s.lang == "ja" && w.rng.IntN(20) == 0 {
			sign = fullwidthSign
		}
		s.short.mark(hashtag, sign, tag)
	}
}

// decorate adds what people add to a sentence.
func (w *World) decorate(s *status) {
	c, r := &s.short, w.rng
	if x := r.IntN(100); x < 4 {
		c.space()
		c.add(pick(r, escaped))
	} else if x < 6 {
		c.space()
		c.add("“\"" + pick(r, quips) + "\"”\n")
	}
	if r.IntN(4) == 0 {
		c.space()
		for range 1 + r.IntN(3) {
			c.add(pick(r, emoji))
		}
	}
	if r.IntN(6) == 0 {
		for range 1 + r.IntN(2) {
			w.nameUser(s, w.someone(s.author))
		}
	}
	if r.IntN(70) == 0 {
		c.mark(cashtag, "$", pick(r, cashtags))
	}
}

// someone returns who an author mentions: a friend, or somebody well known.
func (w *World) someone(author int) int {
	switch x := w.rng.IntN(400); {
	case x == 0:
		return noOne
	case x < 280:
		return w.people.friend(w.rng, author)
	case x < 380:
		return w.people.pick(w.rng, w.people.all[author].lang)
	}
	return w.people.pick(w.rng, w.rng.IntN(len(spoken)))
}

// goneUser is a name that no user has any more.
const goneUser = "gone_kettle"

// nameUser mentions a user. Its id is often not delivered.
func (w *World) nameUser(s *status, user int) {
	if user == noOne {
		s.short.mark(mention, "@", goneUser)
		return
	}
	e := s.short.mark(mention, "@", w.people.all[user].username)
	e.user, e.withID = int32(user), w.rng.IntN(10) < 7
}

// attach adds links, pictures and films.
func (w *World) attach(s *status) {
	r, c := w.rng, &s.short
	if r.IntN(100) < 12 || c.empty() && len(s.media) == 0 {
		w.addLink(c, w.page())
	}
	if len(s.media) == 0 && r.IntN(100) < 18 {
		s.media = append(s.media, w.picture())
		for s.media[0].kind == photo && len(s.media) < 4 && r.IntN(5) == 0 {
			s.media = append(s.media, medium{key: r.Uint64() >> 2, kind: photo})
		}
	}
	if len(s.media) > 0 {
		w.addLink(c, target{media: true})
	}
}

func (w *World) picture() medium {
	m := medium{key: w.rng.Uint64() >> 2}
	switch x := w.rng.IntN(10); {
	case x < 2:
		m.kind = video
	case x < 3:
		m.kind = animation
	default:
		if w.rng.IntN(3) == 0 {
			m.alt = 1 + w.rng.IntN(len(altTexts))
		}
	}
	return m
}
