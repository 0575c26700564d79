package encode

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/schema"
)

func (e *encoder) tweet(selected ast.SelectionSet) write[schema.Tweet] {
	return object(e, selected, e.tweetField, "Tweet", "Node")
}

func (e *encoder) tweetField(f graphql.CollectedField) write[schema.Tweet] {
	if w := tweetValue(f.Name); w != nil {
		return w
	}
	switch f.Name {
	case "author":
		return one(object(e, f.Selections, user, "User"), func(t *schema.Tweet) *schema.User { return t.Author })
	case "mentions":
		return many(object(e, f.Selections, mention, "Mention"), func(t *schema.Tweet) []schema.Mention { return t.Mentions })
	case "urls":
		return many(object(e, f.Selections, link, "Url"), func(t *schema.Tweet) []schema.URL { return t.URLs })
	case "media":
		return many(object(e, f.Selections, media, "Media"), func(t *schema.Tweet) []schema.Media { return t.Media })
	case "metrics":
		return one(object(e, f.Selections, metrics, "Metrics"), func(t *schema.Tweet) *schema.Metrics { return &t.Metrics })
	case "location":
		return one(object(e, f.Selections, location, "Location"), func(t *schema.Tweet) *schema.Location { return t.Location })
	case "place":
		return one(object(e, f.Selections, place, "Place"), func(t *schema.Tweet) *schema.Place { return t.Place })
	case "references":
		return many(object(e, f.Selections, e.reference, "Reference"), func(t *schema.Tweet) []schema.Reference { return t.References })
	case "withheld":
		return one(object(e, f.Selections, withheld, "Withheld"), func(t *schema.Tweet) *schema.Withheld { return t.Withheld })
	case "matchingRules":
		return many(object(e, f.Selections, rule, "MatchingRule"), func(t *schema.Tweet) []schema.MatchingRule { return t.MatchingRules })
	}
	return nil
}

// tweetValue returns the writer of a field without fields of its own.
func tweetValue(name string) write[schema.Tweet] {
	switch name {
	case "id":
		return func(b []byte, t *schema.Tweet) []byte { return text(b, t.ID) }
	case "text":
		return func(b []byte, t *schema.Tweet) []byte { return text(b, t.Text) }
	case "rawText":
		return func(b []byte, t *schema.Tweet) []byte { return text(b, t.RawText) }
	case "createdAt":
		return func(b []byte, t *schema.Tweet) []byte { return moment(b, t.CreatedAt) }
	case "createdAtDerived":
		return func(b []byte, t *schema.Tweet) []byte { return boolean(b, &t.CreatedAtDerived) }
	case "lang":
		return func(b []byte, t *schema.Tweet) []byte { return opt(b, t.Lang) }
	case "source":
		return func(b []byte, t *schema.Tweet) []byte { return opt(b, t.Source) }
	case "conversationId":
		return func(b []byte, t *schema.Tweet) []byte { return opt(b, t.ConversationID) }
	case "hashtags":
		return func(b []byte, t *schema.Tweet) []byte { return texts(b, t.Hashtags) }
	case "cashtags":
		return func(b []byte, t *schema.Tweet) []byte { return texts(b, t.Cashtags) }
	case "possiblySensitive":
		return func(b []byte, t *schema.Tweet) []byte { return boolean(b, t.PossiblySensitive) }
	case "editHistoryIds":
		return func(b []byte, t *schema.Tweet) []byte { return texts(b, t.EditHistoryIDs) }
	case "supersededBy":
		return func(b []byte, t *schema.Tweet) []byte { return opt(b, t.SupersededBy) }
	case "observedAt":
		return func(b []byte, t *schema.Tweet) []byte { return moment(b, t.ObservedAt) }
	case "repaired":
		return func(b []byte, t *schema.Tweet) []byte { return boolean(b, &t.Repaired) }
	case "truncated":
		return func(b []byte, t *schema.Tweet) []byte { return boolean(b, &t.Truncated) }
	}
	return nil
}

func (e *encoder) reference(f graphql.CollectedField) write[schema.Reference] {
	switch f.Name {
	case "type":
		return func(b []byte, r *schema.Reference) []byte { return text(b, string(r.Type)) }
	case "id":
		return func(b []byte, r *schema.Reference) []byte { return text(b, r.ID) }
	case "tweet":
		return one(e.tweet(f.Selections), func(r *schema.Reference) *schema.Tweet {
			t, read := e.referenced(r.ID)
			e.unread = e.unread || !read
			return t
		})
	}
	return nil
}
