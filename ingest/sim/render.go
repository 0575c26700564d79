package sim

import "visualizer/schema"

// envelope is what one line holds: a tweet and what is delivered beside it.
// Its memory is used again.
type envelope struct {
	main   *status
	beside *status // the tweet that main refers to, or nil
	users  []int
	gone   []string // names of users that can't be found
	lost   []uint64 // tweets that can't be found
}

// gather decides what stands beside s, as the API's expansions do: nearly
// everything, with gaps of which some are told in errors.
func (w *World) gather(s *status) *envelope {
	e := &w.env
	*e = envelope{main: s, users: e.users[:0], gone: e.gone[:0], lost: e.lost[:0]}
	if !s.orphan {
		e.addUser(s.author)
	}
	for _, ref := range s.refs {
		if of := w.memory.find(ref.id); of == nil {
			if ref.id%8 == 0 {
				e.lost = append(e.lost, ref.id)
			}
		} else if e.beside == nil {
			e.beside = of
			if !of.orphan {
				e.addUser(of.author)
			}
		}
	}
	for i := range s.short.ents {
		switch m := &s.short.ents[i]; {
		case m.kind != mention:
		case m.user == noOne:
			e.gone = append(e.gone, m.name)
		default:
			e.addUser(int(m.user))
		}
	}
	return e
}

func (e *envelope) addUser(n int) {
	if !e.hasUser(n) {
		e.users = append(e.users, n)
	}
}

func (e *envelope) hasUser(n int) bool {
	for _, u := range e.users {
		if u == n {
			return true
		}
	}
	return false
}

// lineEnd ends a message of the stream.
const lineEnd = "\r\n"

// envelope appends one line.
func (w *World) envelope(e *envelope) {
	o := &w.out
	o.raw(`{"data":`)
	w.status(e.main)
	if len(e.users) > 0 || e.beside != nil || e.main.place != nowhere || len(e.main.media) > 0 {
		w.includes(e)
	}
	w.problems(e)
	o.raw(`}`)
	o.raw(w.lineEnd)
}

// includes appends the objects beside the tweet.
func (w *World) includes(e *envelope) {
	o := &w.out
	o.raw(`,"includes":`)
	l := list{o: o, brace: '{'}
	if len(e.users) > 0 {
		l.next()
		o.raw(`"users":`)
		users := list{o: o, brace: '['}
		for _, n := range e.users {
			users.next()
			o.profile(&w.people.all[n])
		}
		o.raw(`]`)
	}
	if e.beside != nil {
		l.next()
		o.raw(`"tweets":[`)
		w.status(e.beside)
		o.raw(`]`)
	}
	if e.main.place != nowhere {
		l.next()
		o.raw(`"places":[`)
		o.place(&w.places[e.main.place])
		o.raw(`]`)
	}
	if len(e.main.media) > 0 {
		l.next()
		o.raw(`"media":`)
		media := list{o: o, brace: '['}
		for i := range e.main.media {
			media.next()
			o.medium(&e.main.media[i])
		}
		o.raw(`]`)
	}
	o.raw(`}`)
}

// list separates the members of an object or array.
type list struct {
	o     *buffer
	brace byte // opens it, in front of the first
}

func (l *list) next() {
	if l.brace != 0 {
		l.o.b = append(l.o.b, l.brace)
		l.brace = 0
		return
	}
	l.o.raw(`,`)
}

// problems appends the partial errors of a good record.
func (w *World) problems(e *envelope) {
	if len(e.gone) == 0 && len(e.lost) == 0 {
		return
	}
	o := &w.out
	o.raw(`,"errors":`)
	l := list{o: o, brace: '['}
	for _, name := range e.gone {
		l.next()
		o.raw(`{"value":"` + name + `","detail":"User has been suspended: [` + name + `].","title":"Forbidden","resource_type":"user",` +
			`"parameter":"entities.mentions.username","resource_id":"` + name + `","type":"https://api.twitter.com/2/problems/resource-not-found"}`)
	}
	for _, id := range e.lost {
		l.next()
		o.raw(`{"value":`)
		o.id(id)
		o.raw(`,"detail":"Could not find tweet with referenced_tweets.id: [`)
		o.b = appendUint(o.b, id)
		o.raw(`].","title":"Not Found Error","resource_type":"tweet","parameter":"referenced_tweets.id","resource_id":`)
		o.id(id)
		o.raw(`,"type":"https://api.twitter.com/2/problems/resource-not-found"}`)
	}
	o.raw(`]`)
}

// medium appends the media object.
func (o *buffer) medium(m *medium) {
	o.raw(`{"media_key":`)
	o.mediaKey(m)
	o.raw(`,"type":"`)
	o.raw(mediaNames[m.kind])
	if m.kind == photo {
		o.raw(`","url":"`)
	} else {
		o.raw(`","preview_image_url":"`)
	}
	o.b = m.appendURL(o.b)
	o.raw(`","width":1200,"height":800`)
	if m.alt > 0 {
		o.raw(`,"alt_text":`)
		o.str(altTexts[m.alt-1])
	}
	if m.kind == video {
		o.raw(`,"duration_ms":14000`)
	}
	o.raw(`}`)
}

func (m *medium) appendURL(b []byte) []byte {
	b = append(b, "https://img.example/media/"...)
	return append(appendUint(b, m.key), ".jpg"...)
}

func (m *medium) appendKey(b []byte) []byte {
	return appendUint(append(b, mediaPrefixes[m.kind]...), m.key)
}

func (o *buffer) mediaKey(m *medium) {
	o.raw(`"`)
	o.b = m.appendKey(o.b)
	o.raw(`"`)
}

// shownAt is created_at as the API shows it: cut to the second.
func (w *World) shownAt(s *status) schema.Time {
	if w.opts.CreatedAtMillis {
		return s.createdAt
	}
	return s.createdAt - s.createdAt%1000
}
