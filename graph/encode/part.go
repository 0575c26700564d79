package encode

import (
	"github.com/99designs/gqlgen/graphql"

	"visualizer/schema"
)

func user(f graphql.CollectedField) write[schema.User] {
	switch f.Name {
	case "id":
		return func(b []byte, u *schema.User) []byte { return opt(b, u.NullableID()) }
	case "username":
		return func(b []byte, u *schema.User) []byte { return opt(b, u.Username) }
	case "name":
		return func(b []byte, u *schema.User) []byte { return opt(b, u.Name) }
	case "description":
		return func(b []byte, u *schema.User) []byte { return opt(b, u.Description) }
	case "followersCount":
		return func(b []byte, u *schema.User) []byte { return long(b, u.FollowersCount) }
	case "followingCount":
		return func(b []byte, u *schema.User) []byte { return long(b, u.FollowingCount) }
	case "tweetCount":
		return func(b []byte, u *schema.User) []byte { return long(b, u.TweetCount) }
	case "verified":
		return func(b []byte, u *schema.User) []byte { return boolean(b, u.Verified) }
	case "location":
		return func(b []byte, u *schema.User) []byte { return opt(b, u.Location) }
	case "createdAt":
		return func(b []byte, u *schema.User) []byte { return moment(b, u.CreatedAt) }
	case "profileImageUrl":
		return func(b []byte, u *schema.User) []byte { return opt(b, u.ProfileImageURL) }
	case "observedAt":
		return func(b []byte, u *schema.User) []byte { return moment(b, u.ObservedAt) }
	}
	return nil
}

func mention(f graphql.CollectedField) write[schema.Mention] {
	switch f.Name {
	case "username":
		return func(b []byte, m *schema.Mention) []byte { return opt(b, m.Username) }
	case "id":
		return func(b []byte, m *schema.Mention) []byte { return opt(b, m.ID) }
	}
	return nil
}

func link(f graphql.CollectedField) write[schema.URL] {
	switch f.Name {
	case "url":
		return func(b []byte, u *schema.URL) []byte { return opt(b, u.URL) }
	case "expandedUrl":
		return func(b []byte, u *schema.URL) []byte { return opt(b, u.ExpandedURL) }
	case "title":
		return func(b []byte, u *schema.URL) []byte { return opt(b, u.Title) }
	}
	return nil
}

func media(f graphql.CollectedField) write[schema.Media] {
	switch f.Name {
	case "type":
		return func(b []byte, m *schema.Media) []byte { return opt(b, m.Type) }
	case "url":
		return func(b []byte, m *schema.Media) []byte { return opt(b, m.URL) }
	case "altText":
		return func(b []byte, m *schema.Media) []byte { return opt(b, m.AltText) }
	}
	return nil
}

func metrics(f graphql.CollectedField) write[schema.Metrics] {
	switch f.Name {
	case "likes":
		return func(b []byte, m *schema.Metrics) []byte { return long(b, m.Likes) }
	case "retweets":
		return func(b []byte, m *schema.Metrics) []byte { return long(b, m.Retweets) }
	case "replies":
		return func(b []byte, m *schema.Metrics) []byte { return long(b, m.Replies) }
	case "quotes":
		return func(b []byte, m *schema.Metrics) []byte { return long(b, m.Quotes) }
	case "bookmarks":
		return func(b []byte, m *schema.Metrics) []byte { return long(b, m.Bookmarks) }
	case "impressions":
		return func(b []byte, m *schema.Metrics) []byte { return long(b, m.Impressions) }
	}
	return nil
}

func location(f graphql.CollectedField) write[schema.Location] {
	switch f.Name {
	case "latitude":
		return func(b []byte, l *schema.Location) []byte { return float(b, l.Latitude) }
	case "longitude":
		return func(b []byte, l *schema.Location) []byte { return float(b, l.Longitude) }
	}
	return nil
}

func place(f graphql.CollectedField) write[schema.Place] {
	switch f.Name {
	case "id":
		return func(b []byte, p *schema.Place) []byte { return text(b, p.ID) }
	case "fullName":
		return func(b []byte, p *schema.Place) []byte { return opt(b, p.FullName) }
	case "countryCode":
		return func(b []byte, p *schema.Place) []byte { return opt(b, p.CountryCode) }
	case "bbox":
		return func(b []byte, p *schema.Place) []byte { return floats(b, p.BBox) }
	}
	return nil
}

func withheld(f graphql.CollectedField) write[schema.Withheld] {
	switch f.Name {
	case "countryCodes":
		return func(b []byte, w *schema.Withheld) []byte { return texts(b, w.CountryCodes) }
	case "scope":
		return func(b []byte, w *schema.Withheld) []byte { return opt(b, w.Scope) }
	}
	return nil
}

func rule(f graphql.CollectedField) write[schema.MatchingRule] {
	switch f.Name {
	case "id":
		return func(b []byte, r *schema.MatchingRule) []byte { return text(b, r.ID) }
	case "tag":
		return func(b []byte, r *schema.MatchingRule) []byte { return opt(b, r.Tag) }
	}
	return nil
}
