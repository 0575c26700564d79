package sim

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"visualizer/schema"
)

// author is one invented account. Its counters grow while the world runs.
type author struct {
	id          uint64
	username    string
	name        string
	description string
	location    string
	createdAt   schema.Time
	verified    bool
	lang        int // index in spoken
	home        int // index of a place

	followers, following, tweets, listed int64
}

// maxUsername is the longest name the API allows.
const maxUsername = 15

// people are the authors of a world, those of one language next to each other.
type people struct {
	all []author
	// ofLang is where the authors of spoken[i] lie in all, most active first.
	ofLang []group
}

type group struct {
	first  int
	active zipf
}

// activeFlat keeps the most active author of a language at a few per cent of
// its tweets.
const activeFlat = 40

func newPeople(r *rand.Rand, n int, places []place) people {
	p := people{all: make([]author, 0, n)}
	share := 0
	for i := range spoken {
		share += spoken[i].share
	}
	taken := make(map[string]bool, n)
	for i := range spoken {
		size := max(1, n*spoken[i].share/share)
		homes := homesOf(spoken[i].code, places)
		p.ofLang = append(p.ofLang, group{len(p.all), newZipf(size, activeFlat)})
		for range size {
			a := newAuthor(r, i, len(p.all), taken)
			a.home = pick(r, homes)
			p.all = append(p.all, a)
		}
	}
	return p
}

// pick returns an author of a language.
func (p *people) pick(r *rand.Rand, lang int) int {
	g := &p.ofLang[lang]
	return g.first + g.active.pick(r)
}

// friends is how many others an author mentions again and again, which gives
// the graph of mentions its clusters.
const friends = 8

// friend returns one of the friends of author a, who share its language.
func (p *people) friend(r *rand.Rand, a int) int {
	g := &p.ofLang[p.all[a].lang]
	far := 1 + r.IntN(friends)
	return g.first + (a-g.first+far*far)%len(g.active)
}

func newAuthor(r *rand.Rand, lang, n int, taken map[string]bool) author {
	a := author{
		username:  newUsername(r, taken),
		createdAt: newBirth(r),
		verified:  r.IntN(25) == 0,
		lang:      lang,
		followers: heavy(r, 6_000_000) + r.Int64N(200),
		following: heavy(r, 5_000) + r.Int64N(300),
		tweets:    heavy(r, 400_000) + r.Int64N(2_000),
	}
	a.listed = a.followers / 150
	a.id = userID(a.createdAt, n)
	a.name = displayName(r, &spoken[lang])
	if r.IntN(5) > 0 {
		a.description = pick(r, bios) + " · " + pick(r, bios)
	}
	if r.IntN(3) > 0 {
		a.location = pick(r, towns)
	}
	return a
}

// newBirth returns when an account was made: before every tweet of the world.
func newBirth(r *rand.Rand) schema.Time {
	first := time.Date(2009, 6, 1, 0, 0, 0, 0, time.UTC)
	return schema.TimeOf(first.Add(time.Duration(r.Int64N(11*365*24*3600)) * time.Second))
}

// userID returns an id as old accounts have, a counter, or a snowflake.
func userID(born schema.Time, n int) uint64 {
	if born.Go().Year() < 2016 {
		return 9_000_001 + uint64(n)*40_009
	}
	id, _ := schema.ParseID(schema.Snowflake(born, uint32(n)))
	return id
}

// newUsername returns a name nobody has in any case.
func newUsername(r *rand.Rand, taken map[string]bool) string {
	var b strings.Builder
	for range 2 + r.IntN(3) {
		b.WriteString(pick(r, syllables))
	}
	name := b.String()
	switch r.IntN(4) {
	case 0:
		name = capitalized(name)
	case 1:
		name = pick(r, syllables)[:2] + "_" + name
	}
	base := name[:min(len(name), maxUsername-5)]
	for taken[strings.ToLower(name)] || len(name) > maxUsername {
		name = base + strconv.Itoa(r.IntN(100_000))
	}
	taken[strings.ToLower(name)] = true
	return name
}

func displayName(r *rand.Rand, l *language) string {
	var name string
	if len(l.names) > 0 && r.IntN(8) > 0 {
		name = pick(r, l.names)
	} else {
		name = capitalized(pick(r, syllables)) + " " + capitalized(pick(r, syllables)+pick(r, syllables))
	}
	if r.IntN(8) == 0 {
		name += " " + pick(r, emoji)
	}
	return name
}

// capitalized expects an ASCII letter in front.
func capitalized(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// profile appends the user object.
func (o *buffer) profile(a *author) {
	o.raw(`{"id":`)
	o.id(a.id)
	o.raw(`,"name":`)
	o.str(a.name)
	o.raw(`,"username":`)
	o.str(a.username)
	o.raw(`,"created_at":`)
	o.time(a.createdAt)
	o.raw(`,"description":`)
	o.str(a.description)
	if a.location != "" {
		o.raw(`,"location":`)
		o.str(a.location)
	}
	o.raw(`,"verified":`)
	o.bool(a.verified)
	if a.verified {
		o.raw(`,"verified_type":"blue"`)
	}
	o.raw(`,"protected":false,"url":"","profile_image_url":"`)
	o.raw(avatarPrefix)
	o.raw(a.username)
	o.raw(avatarSuffix)
	o.raw(`","public_metrics":{"followers_count":`)
	o.int(a.followers)
	o.raw(`,"following_count":`)
	o.int(a.following)
	o.raw(`,"tweet_count":`)
	o.int(a.tweets)
	o.raw(`,"listed_count":`)
	o.int(a.listed)
	o.raw(`}}`)
}

const (
	avatarPrefix = "https://img.example/profile/"
	avatarSuffix = "_normal.jpg"
)
