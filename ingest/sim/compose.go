package sim

import "visualizer/schema"

// Lengths of texts in code points.
const (
	retweetLen = 140 // a retweet's text is cut here
	longLen    = 275 // so is what text shows of a long post
)

// compose makes the next tweet. What kind it is was drawn before; when the
// world is too young to answer anything, it is an original.
func (w *World) compose() *status {
	s := w.memory.push()
	s.id, s.createdAt = w.stamp()
	s.conversation = s.id
	x, o := w.rng.Float64(), &w.opts
	switch {
	case x < o.Edit && w.edit(s):
	case o.Edit <= x && x < o.Edit+o.Retweet && w.retweet(s):
	default:
		w.write(s, x-o.Edit-o.Retweet)
	}
	s.history = append(s.history, s.id)
	w.memory.know(s)
	w.people.all[s.author].tweets++
	return s
}

// write makes an original, a reply when x is below the share of replies, or a
// quote when it is below that of quotes after it.
func (w *World) write(s *status, x float64) {
	w.sign(s)
	o := &w.opts
	if 0 <= x && x < o.Reply {
		w.reply(s)
	}
	long := w.chance(o.Long)
	w.say(s, long)
	w.attach(s)
	if o.Reply <= x && x < o.Reply+o.Quote {
		w.quote(s)
	}
	if long {
		s.long, s.short = s.short, s.long
		s.short.cut(&s.long, longLen)
	}
	s.counts = w.firstCounts()
	s.sensitive = w.rng.IntN(60) == 0
	if w.rng.IntN(1000) == 0 {
		s.withheld = pick(w.rng, regions).code
	}
	if w.rng.IntN(40) == 0 {
		w.memory.makeHot(w.rng.IntN(hotTweets))
	}
}

// sign chooses language, author and program.
func (w *World) sign(s *status) {
	w.chooseLanguage(s)
	s.author = w.people.pick(w.rng, s.spoken)
	w.choosePlaceAndSource(s)
}

func (w *World) choosePlaceAndSource(s *status) {
	if w.rng.IntN(10) < 6 {
		s.source = pick(w.rng, sources)
	}
	s.orphan = w.rng.IntN(300) == 0
	switch x := w.rng.Float64(); {
	case x < w.opts.Geo:
		s.place = w.whereabouts(s.author)
		s.lat, s.lon = w.places[s.place].point(w.rng)
		s.hasPoint = true
	case x < w.opts.Geo*4/3: // a place without a point
		s.place = w.whereabouts(s.author)
	}
}

// whereabouts returns where an author is: mostly at home.
func (w *World) whereabouts(author int) int {
	if w.rng.IntN(8) == 0 {
		return w.rng.IntN(len(w.places))
	}
	return w.people.all[author].home
}

// chooseLanguage draws from the shares. An unspoken code still needs an
// author who speaks something.
func (w *World) chooseLanguage(s *status) {
	s.spoken = w.langs.pick(w.rng)
	if s.spoken < len(spoken) {
		s.lang = spoken[s.spoken].code
		return
	}
	s.lang = unspoken[s.spoken-len(spoken)].code
	for s.spoken >= len(spoken) {
		s.spoken = w.langs.pick(w.rng)
	}
}

// reply makes s an answer, mostly to a tweet that the world remembers.
func (w *World) reply(s *status) {
	to := w.choose((*status).original)
	switch w.rng.IntN(10) {
	case 0: // to a tweet from before the world
		to = nil
		s.refs = append(s.refs, reference{schema.RepliedTo, w.before(s.id)})
	case 1: // to a tweet that the record doesn't name
		to = nil
	}
	if to == nil {
		s.replyTo = w.people.friend(w.rng, s.author)
		w.nameUser(s, s.replyTo)
		return
	}
	to.counts.replies++
	s.replyTo, s.conversation = to.author, to.conversation
	s.refs = append(s.refs, reference{schema.RepliedTo, to.id})
	w.nameUser(s, s.replyTo)
}

// before returns an id from up to some days before id.
func (w *World) before(id uint64) uint64 { return id - 1<<40 - w.rng.Uint64N(1<<50) }

// quote makes s a quote, when there is something to quote.
func (w *World) quote(s *status) {
	of := w.popular()
	if of == nil {
		return
	}
	of.counts.quotes++
	s.refs = append(s.refs, reference{schema.Quoted, of.id})
	w.addLink(&s.short, target{tweet: of.id, user: w.people.all[of.author].username})
}

// retweet makes s a retweet, which shows the beginning of the original's
// text, and reports whether there was one.
func (w *World) retweet(s *status) bool {
	of := w.popular()
	if of == nil {
		return false
	}
	of.counts.retweets++
	of.counts.likes += w.rng.Int64N(4)
	of.counts.impressions += 10 + w.rng.Int64N(90)
	s.spoken, s.lang, s.topic = of.spoken, of.lang, of.topic
	s.author = w.people.pick(w.rng, s.spoken)
	if w.rng.IntN(10) < 6 {
		s.source = pick(w.rng, sources)
	}
	s.sensitive = of.sensitive
	s.counts.retweets = of.counts.retweets
	s.refs = append(s.refs, reference{schema.Retweeted, of.id})
	s.short.add("RT")
	w.nameUser(s, of.author)
	s.short.add(": ")
	s.short.cut(&of.short, retweetLen)
	w.aim(s, of)
	return true
}

// aim lets the links that s took over from another tweet lead there.
func (w *World) aim(s, of *status) {
	for i := range s.short.ents {
		if t := &s.short.ents[i].link; t.media {
			*t = target{code: t.code, tweet: of.id, user: w.people.all[of.author].username}
		}
	}
}

// maxVersions is how often a tweet can be edited, plus one.
const maxVersions = 6

// edit makes s a new version of a tweet, when one can be edited.
func (w *World) edit(s *status) bool {
	of := w.choose(editable)
	if of == nil {
		return false
	}
	of.superseded = true
	s.author, s.spoken, s.lang, s.topic, s.source = of.author, of.spoken, of.lang, of.topic, of.source
	s.replyTo, s.place, s.hasPoint, s.lat, s.lon = of.replyTo, of.place, of.hasPoint, of.lat, of.lon
	s.sensitive, s.orphan, s.subject = of.sensitive, of.orphan, of.subject
	s.refs = append(s.refs, of.refs...)
	s.media = append(s.media, of.media...)
	s.history = append(s.history, of.history...)
	s.short.copyOf(&of.short)
	s.short.add(" " + pick(w.rng, corrections))
	s.counts = w.firstCounts()
	return true
}

// corrections are what an edit adds.
var corrections = []string{"(edited: a typo)", "✏️", "(now with the right day)", "*", "&amp; thanks!"}

func editable(s *status) bool {
	return s.original() && !s.superseded && s.long.empty() && len(s.history) < maxVersions
}

// firstCounts are small: a stream delivers tweets seconds after they were made.
func (w *World) firstCounts() counts {
	r := w.rng
	c := counts{likes: heavy(r, 4_000)}
	c.retweets, c.replies, c.quotes = c.likes/6+heavy(r, 8), c.likes/11+heavy(r, 8), c.likes/50
	c.bookmarks, c.impressions = c.likes/14, c.likes*37+r.Int64N(60)
	return c
}

// grow lets a tweet be liked and read some more.
func (w *World) grow(s *status) {
	if s.isRetweet() { // it counts the original's retweets, and nothing else
		n := s.counts.retweets + 1
		if of := w.memory.find(s.refs[0].id); of != nil {
			n = max(n, of.counts.retweets+1)
			of.counts.retweets = n
		}
		s.counts.retweets = n
		return
	}
	c, more := &s.counts, 1+heavy(w.rng, 20_000)
	c.likes += more
	c.retweets += more / 5
	c.replies += more / 9
	c.quotes += more / 40
	c.bookmarks += more / 12
	c.impressions += more*29 + w.rng.Int64N(300)
}
