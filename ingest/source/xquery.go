package source

import (
	"net/url"
	"strconv"
)

// streamQuery asks for all that schema.Tweet has, and for what was missed in
// the last minutes, unless they are 0.
func streamQuery(backfill int) url.Values {
	q := url.Values{
		"tweet.fields": {"id,text,author_id,created_at,lang,source,conversation_id,in_reply_to_user_id,entities,geo,public_metrics," +
			"referenced_tweets,attachments,possibly_sensitive,withheld,edit_history_tweet_ids,note_tweet"},
		"expansions":   {"author_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys,geo.place_id"},
		"user.fields":  {"id,username,name,description,public_metrics,verified,location,created_at,profile_image_url"},
		"place.fields": {"id,full_name,country_code,geo"},
		"media.fields": {"media_key,type,url,preview_image_url,alt_text"},
	}
	if backfill > 0 {
		q.Set("backfill_minutes", strconv.Itoa(backfill))
	}
	return q
}
