package sim

import "visualizer/schema"

// editWindow is how long a tweet can be edited.
const editWindow = 30 * 60 * 1000

// status appends the tweet object.
func (w *World) status(s *status) {
	o := &w.out
	o.raw(`{"id":`)
	o.id(s.id)
	o.raw(`,"text":`)
	o.text(s.short.text)
	o.raw(`,"edit_history_tweet_ids":`)
	versions := list{o: o, brace: '['}
	for _, id := range s.history {
		versions.next()
		o.id(id)
	}
	o.raw(`],"author_id":`)
	o.id(w.people.all[s.author].id)
	o.raw(`,"created_at":`)
	o.time(w.shownAt(s))
	o.raw(`,"lang":"`)
	o.raw(s.lang)
	o.raw(`","possibly_sensitive":`)
	o.bool(s.sensitive)
	o.raw(`,"reply_settings":"everyone","conversation_id":`)
	o.id(s.conversation)
	w.metrics(&s.counts)
	w.entities(s, &s.short)
	w.links(s)
	w.context(s)
	w.extras(s)
	o.raw(`}`)
}

func (w *World) metrics(c *counts) {
	o := &w.out
	o.raw(`,"public_metrics":{"retweet_count":`)
	o.int(c.retweets)
	o.raw(`,"reply_count":`)
	o.int(c.replies)
	o.raw(`,"like_count":`)
	o.int(c.likes)
	o.raw(`,"quote_count":`)
	o.int(c.quotes)
	o.raw(`,"bookmark_count":`)
	o.int(c.bookmarks)
	o.raw(`,"impression_count":`)
	o.int(c.impressions)
	o.raw(`}`)
}

// links appends what ties the tweet to others, to media and to a place.
func (w *World) links(s *status) {
	o := &w.out
	if len(s.refs) > 0 {
		o.raw(`,"referenced_tweets":`)
		l := list{o: o, brace: '['}
		for _, ref := range s.refs {
			l.next()
			o.raw(`{"type":"`)
			o.raw(wireTypes[ref.kind])
			o.raw(`","id":`)
			o.id(ref.id)
			o.raw(`}`)
		}
		o.raw(`]`)
	}
	if s.replyTo != noOne {
		o.raw(`,"in_reply_to_user_id":`)
		o.id(w.people.all[s.replyTo].id)
	}
	if len(s.media) > 0 {
		o.raw(`,"attachments":{"media_keys":`)
		l := list{o: o, brace: '['}
		for i := range s.media {
			l.next()
			o.mediaKey(&s.media[i])
		}
		o.raw(`]}`)
	}
	w.geo(s)
}

var wireTypes = map[schema.ReferenceType]string{
	schema.Retweeted: "retweeted", schema.Quoted: "quoted", schema.RepliedTo: "replied_to",
}

// geo appends the geo object, which is empty for most tweets.
func (w *World) geo(s *status) {
	o := &w.out
	o.raw(`,"geo":{`)
	if s.place != nowhere {
		o.raw(`"place_id":"`)
		o.raw(w.places[s.place].id)
		o.raw(`"`)
	}
	if s.hasPoint {
		o.raw(`,"coordinates":{"type":"Point","coordinates":[`)
		o.degrees(s.lon)
		o.raw(`,`)
		o.degrees(s.lat)
		o.raw(`]}`)
	}
	o.raw(`}`)
}

// context appends what the API thinks a tweet is about.
func (w *World) context(s *status) {
	if s.lang != "en" || s.id%3 != 0 {
		return
	}
	o := &w.out
	o.raw(`,"context_annotations":[{"domain":{"id":"46","name":"Made Up Domain","description":"Things that were invented"},"entity":{"id":"`)
	o.int(1_000_000_000_000_000_001 + int64(s.topic))
	o.raw(`","name":`)
	o.str(topics[s.topic].name)
	o.raw(`}}]`)
}

// extras appends the rest: edits, program, long form.
func (w *World) extras(s *status) {
	o := &w.out
	o.raw(`,"edit_controls":{"edits_remaining":`)
	o.int(int64(maxVersions - len(s.history)))
	o.raw(`,"is_edit_eligible":`)
	o.bool(editable(s))
	o.raw(`,"editable_until":`)
	o.time(w.shownAt(s) + editWindow)
	o.raw(`}`)
	if s.source != "" {
		o.raw(`,"source":`)
		o.str(s.source)
	}
	if s.withheld != "" {
		o.raw(`,"withheld":{"copyright":false,"country_codes":["`)
		o.raw(s.withheld)
		o.raw(`"]}`)
	}
	if !s.long.empty() {
		o.raw(`,"note_tweet":{"text":`)
		o.text(s.long.text)
		w.entities(s, &s.long)
		o.raw(`}`)
	}
}
