package sim

// entityNames are the keys of the lists, by kind.
var entityNames = [entityKinds]string{`"hashtags":`, `"cashtags":`, `"mentions":`, `"urls":`}

// entities appends the entities object of a text, when it has any.
func (w *World) entities(s *status, c *content) {
	annotated := c == &s.short && s.annotated()
	if len(c.ents) == 0 && !annotated {
		return
	}
	o := &w.out
	o.raw(`,"entities":`)
	lists := list{o: o, brace: '{'}
	for kind := range entityKind(entityKinds) {
		if !c.has(kind) {
			continue
		}
		lists.next()
		o.raw(entityNames[kind])
		l := list{o: o, brace: '['}
		for i := range c.ents {
			if e := &c.ents[i]; e.kind == kind {
				l.next()
				w.entity(s, e)
			}
		}
		o.raw(`]`)
	}
	if annotated {
		lists.next()
		o.annotation(s)
	}
	o.raw(`}`)
}

// annotated reports whether the API found a name in the text. Only some
// English texts are, and only those that begin with their first sentence.
func (s *status) annotated() bool {
	return s.lang == "en" && s.subject[1] > 0 && s.id%7 == 0
}

// annotation appends the name found, whose end is inside, unlike that of all
// other entities.
func (o *buffer) annotation(s *status) {
	from, to := int(s.subject[0]), int(s.subject[1])
	o.raw(`"annotations":[{"start":`)
	o.int(int64(from))
	o.raw(`,"end":`)
	o.int(int64(to - 1))
	o.raw(`,"probability":0.61,"type":"Other","normalized_text":`)
	o.text(s.short.text[byteOffset(s.short.text, from):byteOffset(s.short.text, to)])
	o.raw(`}]`)
}

// entity appends one entity of tweet s.
func (w *World) entity(s *status, e *entity) {
	o := &w.out
	o.raw(`{"start":`)
	o.int(int64(e.start))
	o.raw(`,"end":`)
	o.int(int64(e.end))
	switch e.kind {
	case hashtag, cashtag:
		o.raw(`,"tag":`)
		o.str(e.name)
	case mention:
		o.raw(`,"username":`)
		o.str(e.name)
		if e.withID {
			o.raw(`,"id":`)
			o.id(w.people.all[e.user].id)
		}
	case link:
		w.link(s, &e.link)
	}
	o.raw(`}`)
}

// link appends the members of a link.
func (w *World) link(s *status, t *target) {
	o := &w.out
	o.raw(`,"url":"`)
	o.b = t.appendShort(o.b)
	o.raw(`","expanded_url":"`)
	o.b = w.expanded(o.b, s, t)
	o.raw(`","display_url":"`)
	o.b = t.display(o.b)
	o.raw(`"`)
	switch {
	case t.media:
		o.raw(`,"media_key":`)
		o.mediaKey(&s.media[0])
	case t.tweet == 0:
		o.raw(`,"status":200,"unwound_url":"https://`)
		o.b = t.outside(o.b)
		o.raw(`"`)
		if t.title > 0 {
			o.raw(`,"title":`)
			o.str(titles[t.title-1])
			o.raw(`,"description":"An invented page.","images":[{"url":"https://img.example/page/1.png","width":600,"height":314}]`)
		}
	}
}

// display appends the form of the address that is shown to readers.
func (t *target) display(b []byte) []byte {
	switch {
	case t.media:
		b = append(b, "pic.example/"...)
	case t.tweet != 0:
		b = append(b, "x.example/status/"...)
	default:
		return t.outside(b)
	}
	return appendUint(b, t.code%1_000_000)
}
