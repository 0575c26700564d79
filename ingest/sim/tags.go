package sim

import "math/rand/v2"

// tagbook holds the hashtags of a world.
type tagbook struct {
	latin []string // commonest first
	ranks zipf
	// native[i] ranks the tags of spoken[i].
	native []zipf
}

// tagFlat keeps the commonest hashtag at a few per cent of all.
const tagFlat = 3

func newTagbook(r *rand.Rand) tagbook {
	var t tagbook
	for _, topic := range topics {
		for _, stem := range topic.stems {
			for _, ending := range tagEndings {
				t.latin = append(t.latin, stem+ending)
			}
		}
	}
	t.latin = append(t.latin, accentTags...)
	r.Shuffle(len(t.latin), func(i, j int) { t.latin[i], t.latin[j] = t.latin[j], t.latin[i] })
	t.ranks = newZipf(len(t.latin), tagFlat)
	for i := range spoken {
		if n := len(spoken[i].tags); n > 0 {
			t.native = append(t.native, newZipf(n, tagFlat))
		} else {
			t.native = append(t.native, nil)
		}
	}
	return t
}

// trendMinutes is how long one hashtag is the talk of the day.
const trendMinutes = 5

// tag returns a hashtag for a text about a topic in spoken[lang].
func (w *World) tag(lang, topic int) string {
	t, r := &w.tags, w.rng
	switch x := r.IntN(100); {
	case x < 8:
		minutes := uint64(w.now) / (60_000 * trendMinutes)
		trend := rand.NewPCG(minutes, uint64(len(t.latin))).Uint64()
		return t.latin[trend%uint64(len(t.latin))]
	case x < 45 && t.native[lang] != nil:
		return spoken[lang].tags[t.native[lang].pick(r)]
	case x < 65:
		return pick(r, topics[topic].stems)
	}
	return recased(r, t.latin[t.ranks.pick(r)])
}

// recased returns a tag now and then in lower or upper case, as people type.
func recased(r *rand.Rand, tag string) string {
	switch r.IntN(16) {
	case 0, 1:
		return mapASCII(tag, 'A', 'Z', 'a'-'A')
	case 2:
		return mapASCII(tag, 'a', 'z', -('a' - 'A'))
	}
	return tag
}

// mapASCII shifts the letters from first to last.
func mapASCII(s string, first, last byte, by int) string {
	b := []byte(s)
	for i, c := range b {
		if first <= c && c <= last {
			b[i] = byte(int(c) + by)
		}
	}
	return string(b)
}
