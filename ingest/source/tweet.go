package source

import (
	"strings"

	"visualizer/schema"
)

// page is what a record says around its tweets.
type page struct {
	observed *schema.Time
	users    map[string]*userJSON
	places   map[string]*placeJSON
	media    map[string]*mediaJSON
	rules    []ruleJSON
}

// newPage returns what m says around its tweets, and when it was observed: at
// arrival, or when the record itself says so.
func newPage(m *message, observed *schema.Time) *page {
	p := &page{observed: observed, rules: m.Rules.items}
	if observed == nil && m.Twarc.v != nil {
		p.observed = parseTime(m.Twarc.v.RetrievedAt.s)
	}
	if in := m.Includes.v; in != nil {
		p.users = byKey(in.Users.items, func(u *userJSON) string { return string(u.ID) })
		p.places = byKey(in.Places.items, func(pl *placeJSON) string { return pl.ID.s })
		p.media = byKey(in.Media.items, func(m *mediaJSON) string { return m.Key.s })
	}
	return p
}

// byKey returns the objects of a list by their key.
func byKey[T any](items []T, key func(*T) string) map[string]*T {
	if len(items) == 0 {
		return nil
	}
	m := make(map[string]*T, len(items))
	for i := range items {
		m[key(&items[i])] = &items[i]
	}
	return m
}

// builder makes a tweet of what a record says.
type builder struct {
	*page
	t *schema.Tweet
}

// tweet returns a valid w as the schema has it.
func (p *page) tweet(w *tweetJSON) *schema.Tweet {
	b := builder{page: p, t: &schema.Tweet{ID: string(w.id())}}
	b.t.RawText = b.str(w.fullText())
	b.t.Text = schema.DecodeText(b.t.RawText)
	b.t.CreatedAt, b.t.CreatedAtDerived = createdAt(w.CreatedAt.s, b.t.ID)
	b.t.Lang = b.opt(w.Lang)
	b.t.PossiblySensitive = w.PossiblySensitive.ptr()
	b.t.ObservedAt = p.observed
	if w.v11() {
		b.fromV11(w)
	} else {
		b.fromV2(w)
	}
	return b.t
}

// str returns a string that the tweet keeps.
func (b builder) str(f flexString) string {
	b.t.Repaired = b.t.Repaired || f.mended
	return f.s
}

func (b builder) opt(f flexString) schema.Opt { return schema.Opt(b.str(f)) }

// first returns the first string that is not empty.
func (b builder) first(fs ...flexString) schema.Opt {
	for _, f := range fs {
		if f.s != "" {
			return b.opt(f)
		}
	}
	return ""
}

// strs returns the strings of a list that are not empty.
func (b builder) strs(fs []flexString) []string {
	var out []string
	for _, f := range fs {
		if f.s != "" {
			out = append(out, b.str(f))
		}
	}
	return out
}

// id returns the digits by which w names itself. In v1.1 id is a number that
// some tools have rounded, so id_str wins.
func (w *tweetJSON) id() flexID {
	if w.IDStr != "" {
		return w.IDStr
	}
	return w.ID
}

// fullText returns the longest form of the text.
func (w *tweetJSON) fullText() flexString {
	for _, n := range []*noteJSON{w.NoteTweet.v, w.NotePost.v} {
		if n != nil && n.Text.s != "" {
			return n.Text
		}
	}
	if x := w.Extended.v; x != nil && x.FullText.s != "" {
		return x.FullText
	}
	if w.FullText.s != "" || !w.Text.valid {
		return w.FullText
	}
	return w.Text
}

// user returns a user's profile. It was observed with the tweet, if there is
// any.
func (b builder) user(id schema.Opt, u *userJSON) *schema.User {
	if u == nil {
		if id == "" {
			return nil
		}
		return &schema.User{ID: string(id)}
	}
	m := u.Metrics.or()
	out := &schema.User{
		Username:        b.first(u.Username, u.ScreenName),
		Name:            b.opt(u.Name),
		Description:     b.opt(u.Description),
		Location:        b.opt(u.Location),
		ProfileImageURL: b.first(u.Image, u.ImageHTTPS),
		FollowersCount:  firstInt(m.Followers, u.Followers),
		FollowingCount:  firstInt(m.Following, u.Friends),
		TweetCount:      firstInt(m.Tweets, m.Posts, u.Statuses),
		Verified:        u.Verified.ptr(),
		CreatedAt:       parseTime(u.CreatedAt.s),
	}
	profile := *out != schema.User{}
	if id == "" {
		id = firstID(u.IDStr, u.ID)
	}
	out.ID = string(id)
	if !profile {
		if id == "" {
			return nil
		}
		return out
	}
	out.ObservedAt = b.observed
	return out
}

// firstInt returns the first number that is there, or nil.
func firstInt(fs ...flexInt) *int64 {
	for _, f := range fs {
		if f.valid {
			return f.ptr()
		}
	}
	return nil
}

// place returns a place, or nil when nothing names it.
func (b builder) place(id flexString, p *placeJSON) *schema.Place {
	if p == nil {
		p = &placeJSON{}
	}
	out := &schema.Place{ID: string(b.first(id, p.ID)), FullName: b.opt(p.FullName), CountryCode: b.opt(p.CountryCode)}
	if out.ID == "" && out.FullName == "" && out.CountryCode == "" {
		return nil
	}
	out.BBox = box(p)
	return out
}

// box returns west, south, east and north of a place, or nil.
func box(p *placeJSON) []float64 {
	sides := p.Geo.or().BBox.items
	if ring := p.Bounds.or().Rings; len(ring) > 0 {
		sides = around(ring)
	}
	if len(sides) != 4 {
		return nil
	}
	out := make([]float64, 4)
	for i, s := range sides {
		if s != s {
			return nil
		}
		out[i] = float64(s)
	}
	return out
}

// around returns the box around a polygon's points.
func around(ring []list[flexFloat]) []flexFloat {
	var sides []flexFloat
	for _, point := range ring {
		at := point.items
		if len(at) < 2 {
			return nil
		}
		if sides == nil {
			sides = []flexFloat{at[0], at[1], at[0], at[1]}
		}
		sides = []flexFloat{min(sides[0], at[0]), min(sides[1], at[1]), max(sides[2], at[0]), max(sides[3], at[1])}
	}
	return sides
}

// point returns a location of longitude and latitude, or nil.
func point(lonLat []flexFloat) *schema.Location {
	if len(lonLat) < 2 {
		return nil
	}
	return schema.NewLocation(float64(lonLat[1]), float64(lonLat[0]))
}

// withheld returns where the tweet must not be shown, or nil. Formats before
// and after v2 have other words for the scope "tweet".
func (b builder) withheld(countries []flexString, scope flexString) *schema.Withheld {
	w := &schema.Withheld{CountryCodes: b.strs(countries), Scope: b.opt(scope)}
	if w.CountryCodes == nil && w.Scope == "" {
		return nil
	}
	switch strings.ToLower(string(w.Scope)) {
	case "status", "post":
		w.Scope = "tweet"
	}
	return w
}

// refer adds a reference to the tweet with the first id that is one.
func (b builder) refer(typ schema.ReferenceType, ids ...flexID) {
	if id := firstID(ids...); id != "" {
		b.t.References = append(b.t.References, schema.Reference{Type: typ, ID: string(id)})
	}
}
