package schema

// members reads an object whose every member has a reader.
func members[T any](r *reader, into *T, read map[string]func(*reader, *T)) {
	r.object(func(name string) {
		if member := read[name]; member != nil {
			member(r, into)
			return
		}
		r.failed = true
	})
}

// listOf reads an array of objects.
func listOf[T any](r *reader, read map[string]func(*reader, *T)) []T {
	list := []T{}
	r.list(func() {
		list = append(list, *new(T))
		members(r, &list[len(list)-1], read)
	})
	return list
}

// one reads an object.
func one[T any](r *reader, read map[string]func(*reader, *T)) *T {
	v := new(T)
	members(r, v, read)
	return v
}

var userMembers = map[string]func(*reader, *User){
	"id":              func(r *reader, u *User) { u.ID = r.text() },
	"username":        func(r *reader, u *User) { u.Username = r.opt() },
	"name":            func(r *reader, u *User) { u.Name = r.opt() },
	"description":     func(r *reader, u *User) { u.Description = r.opt() },
	"followersCount":  func(r *reader, u *User) { u.FollowersCount = r.counter() },
	"followingCount":  func(r *reader, u *User) { u.FollowingCount = r.counter() },
	"tweetCount":      func(r *reader, u *User) { u.TweetCount = r.counter() },
	"verified":        func(r *reader, u *User) { u.Verified = new(r.boolean()) },
	"location":        func(r *reader, u *User) { u.Location = r.opt() },
	"createdAt":       func(r *reader, u *User) { u.CreatedAt = r.moment() },
	"profileImageUrl": func(r *reader, u *User) { u.ProfileImageURL = r.opt() },
	"observedAt":      func(r *reader, u *User) { u.ObservedAt = r.moment() },
}

var metricsMembers = map[string]func(*reader, *Metrics){
	"likes":       func(r *reader, m *Metrics) { m.Likes = r.counter() },
	"retweets":    func(r *reader, m *Metrics) { m.Retweets = r.counter() },
	"replies":     func(r *reader, m *Metrics) { m.Replies = r.counter() },
	"quotes":      func(r *reader, m *Metrics) { m.Quotes = r.counter() },
	"bookmarks":   func(r *reader, m *Metrics) { m.Bookmarks = r.counter() },
	"impressions": func(r *reader, m *Metrics) { m.Impressions = r.counter() },
}

var mentionMembers = map[string]func(*reader, *Mention){
	"username": func(r *reader, m *Mention) { m.Username = r.opt() },
	"id":       func(r *reader, m *Mention) { m.ID = r.opt() },
}

var urlMembers = map[string]func(*reader, *URL){
	"url":         func(r *reader, u *URL) { u.URL = r.opt() },
	"expandedUrl": func(r *reader, u *URL) { u.ExpandedURL = r.opt() },
	"title":       func(r *reader, u *URL) { u.Title = r.opt() },
	"mediaKey":    func(r *reader, u *URL) { u.MediaKey = r.opt() },
}

var mediaMembers = map[string]func(*reader, *Media){
	"key":     func(r *reader, m *Media) { m.Key = r.opt() },
	"type":    func(r *reader, m *Media) { m.Type = r.opt() },
	"url":     func(r *reader, m *Media) { m.URL = r.opt() },
	"altText": func(r *reader, m *Media) { m.AltText = r.opt() },
}

var locationMembers = map[string]func(*reader, *Location){
	"latitude":  func(r *reader, l *Location) { l.Latitude = r.float() },
	"longitude": func(r *reader, l *Location) { l.Longitude = r.float() },
}

var placeMembers = map[string]func(*reader, *Place){
	"id":          func(r *reader, p *Place) { p.ID = r.text() },
	"fullName":    func(r *reader, p *Place) { p.FullName = r.opt() },
	"countryCode": func(r *reader, p *Place) { p.CountryCode = r.opt() },
	"bbox":        func(r *reader, p *Place) { p.BBox = r.floats() },
}

var referenceMembers = map[string]func(*reader, *Reference){
	"type": func(r *reader, ref *Reference) { ref.Type = ReferenceType(r.text()) },
	"id":   func(r *reader, ref *Reference) { ref.ID = r.text() },
}

var withheldMembers = map[string]func(*reader, *Withheld){
	"countryCodes": func(r *reader, w *Withheld) { w.CountryCodes = r.texts() },
	"scope":        func(r *reader, w *Withheld) { w.Scope = r.opt() },
}

var matchingRuleMembers = map[string]func(*reader, *MatchingRule){
	"id":  func(r *reader, m *MatchingRule) { m.ID = r.text() },
	"tag": func(r *reader, m *MatchingRule) { m.Tag = r.opt() },
}
