package sim

import "visualizer/schema"

// remove deletes a remembered tweet and appends the notice, in the shape of
// the old streams or of the compliance streams.
func (w *World) remove() {
	s := w.choose((*status).alive)
	if s == nil {
		return
	}
	ids := s.history
	if s.superseded {
		ids = w.versions(s)
	}
	for _, id := range ids { // one version takes the others with it
		if v := w.memory.find(id); v != nil {
			v.deleted = true
		}
	}
	if s.id%2 == 0 {
		w.notice(s)
	} else {
		w.complianceNotice(s)
	}
	if w.opts.Emitted != nil {
		w.opts.Emitted(Emission{Kind: schema.KindDelete, Deleted: formatIDs(ids)})
	}
}

func (w *World) notice(s *status) {
	o, user := &w.out, w.people.all[s.author].id
	o.raw(`{"delete":{"status":{"id":`)
	o.b = appendUint(o.b, s.id)
	o.raw(`,"id_str":`)
	o.id(s.id)
	o.raw(`,"user_id":`)
	o.b = appendUint(o.b, user)
	o.raw(`,"user_id_str":`)
	o.id(user)
	o.raw(`}}}`)
	o.raw(w.lineEnd)
}

func (w *World) complianceNotice(s *status) {
	o := &w.out
	o.raw(`{"data":{"delete":{"tweet":{"id":`)
	o.id(s.id)
	o.raw(`,"author_id":`)
	o.id(w.people.all[s.author].id)
	o.raw(`},"event_at":`)
	o.time(w.now)
	o.raw(`}}}`)
	o.raw(w.lineEnd)
}

// rubbish are lines that no reader can use, with how it must set them aside.
var rubbish = []struct {
	line   string
	reason schema.Reason
}{
	{`{"data":{"id":"9000001","name":"A user","username":"on_its_own"}}`, schema.NotTweet},
	{`42`, schema.NotTweet},
	{`{"data":{"id":"0042","text":"an id with a leading zero"}}`, schema.InvalidTweet},
	{`{"data":{"text":"no id at all","lang":"en"}}`, schema.InvalidTweet},
	{`<html><body>502 Bad Gateway</body></html>`, schema.BadJSON},
}

// garbage appends a line of rubbish, or the beginning of one that the
// connection lost the rest of.
func (w *World) garbage() {
	o, reason := &w.out, schema.BadJSON
	if s := w.choose((*status).alive); s != nil && w.rng.IntN(2) == 0 {
		start := len(o.b)
		w.status(s)
		o.b = o.b[:start+1+w.rng.IntN(len(o.b)-start-1)]
	} else {
		r := pick(w.rng, rubbish)
		o.raw(r.line)
		reason = r.reason
	}
	o.raw(w.lineEnd)
	if w.opts.Emitted != nil {
		w.opts.Emitted(Emission{Kind: schema.KindControl, Reason: reason})
	}
}
