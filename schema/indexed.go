package schema

// Values of FieldIs beside the types.
const (
	IsMedia = "media"
	IsLinks = "links"
	// IsSample marks one tweet in SampleRate, chosen by id: a planner reads
	// their sort keys to know how the keys of all are spread.
	IsSample = "sample"
	// IsNothing marks no tweet.
	IsNothing = "nothing"
)

// SampleRate is the number of tweets of which one IsSample.
const SampleRate = 64

// inSample mixes the id's bits, since its last ones count machines and
// milliseconds.
func inSample(id uint64) bool { return id*0x9E3779B97F4A7C15>>(64-6) == 0 }

// newIndex returns what the index holds of a tweet.
func newIndex(t *Tweet, ranks Ranks) Index {
	number, _ := ParseID(t.ID)
	ix := Index{
		Words:     IndexText(Words(t.SearchText())),
		Username:  TagValue(t.FoldedUsername()),
		Hashtags:  tagValues(FoldAll(t.Hashtags)),
		Mentions:  tagValues(FoldAll(t.mentioned())),
		Lang:      TagValue(Fold(string(t.Lang))),
		LinkHosts: tagValues(t.LinkHosts()),
		Source:    TagValue(string(t.Source)),
		Thread:    TagValue(string(t.ConversationID)),
		Is:        t.is(),
		HasGeo:    "0",
	}
	profile := ranks.Of(RankUsername)
	ix.Observed, ix.Place = profile.Observed, profile.Place
	ix.Seq, ix.Lo = SplitNumber(number)
	if t.Place != nil {
		ix.Country = TagValue(Fold(string(t.Place.CountryCode)))
	}
	if t.Location != nil {
		ix.locate(*t.Location)
	}
	ix.order(t, number)
	return ix
}

func tagValues(ss []string) []string {
	for i, s := range ss {
		ss[i] = TagValue(s)
	}
	return ss
}

func (t *Tweet) mentioned() []string {
	var names []string
	for _, m := range t.Mentions {
		names = append(names, string(m.Username))
	}
	return names
}

func (t *Tweet) is() []string {
	var is []string
	for _, kind := range t.Types() {
		is = append(is, string(kind))
	}
	if t.HasMedia() {
		is = append(is, IsMedia)
	}
	if t.HasLinks() {
		is = append(is, IsLinks)
	}
	if number, _ := ParseID(t.ID); inSample(number) {
		is = append(is, IsSample)
	}
	return is
}

func (ix *Index) locate(l Location) {
	v := l.Vector()
	ix.HasGeo, ix.Near = "1", v[:]
	ix.Latitude, ix.Longitude = new(DegreeKey(l.Latitude)), new(DegreeKey(l.Longitude))
}

// order sets the sort keys, and notes in Nulls where there is none.
func (ix *Index) order(t *Tweet, number uint64) {
	ix.CreatedAt = NewMoment(t.CreatedAt, t.ID)
	if ix.CreatedAt == nil {
		ix.Nulls = append(ix.Nulls, FieldCreatedAt)
	}
	for _, c := range []struct {
		field string
		value *int64
		key   **int64
	}{
		{FieldLikes, t.Metrics.Likes, &ix.Likes},
		{FieldRetweets, t.Metrics.Retweets, &ix.Retweets},
		{FieldReplies, t.Metrics.Replies, &ix.Replies},
		{FieldQuotes, t.Metrics.Quotes, &ix.Quotes},
		{FieldImpressions, t.Metrics.Impressions, &ix.Impressions},
	} {
		if c.value == nil {
			ix.Nulls = append(ix.Nulls, c.field)
			continue
		}
		*c.key = new(CounterKey(*c.value, number))
	}
	name := t.FoldedUsername()
	if name == "" {
		ix.Nulls = append(ix.Nulls, FieldName)
		return
	}
	first, second, rest := UsernameKeys(name, number)
	ix.Name, ix.NameSecond, ix.UsernameRest = &first, &second, rest
}
