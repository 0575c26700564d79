package sim

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// place is an invented town. Degrees are in millionths.
type place struct {
	id                       string
	name, country, code      string
	west, south, east, north int64
}

// townsPerWeight scales a region's weight to its number of towns.
const townsPerWeight = 3

func newPlaces(r *rand.Rand) []place {
	var places []place
	for _, re := range regions {
		for range re.weight * townsPerWeight {
			places = append(places, newPlace(r, re))
		}
	}
	return places
}

func newPlace(r *rand.Rand, re region) place {
	lat, lon := re.lat+spread(r, 900_000), re.lon+spread(r, 900_000)
	half := 40_000 + r.Int64N(120_000)
	return place{
		id:      hex16(r.Uint64()),
		name:    pick(r, townHeads) + pick(r, townTails),
		country: re.country,
		code:    re.code,
		west:    wrap(lon - half), south: lat - half, east: wrap(lon + half), north: lat + half,
	}
}

// homesOf returns the indexes of the places where speakers of a language live.
func homesOf(lang string, places []place) []int {
	var homes []int
	for i := range places {
		if slices.Contains(homelands[lang], places[i].code) || homelands[lang] == nil {
			homes = append(homes, i)
		}
	}
	return homes
}

func (p *place) fullName() string { return p.name + ", " + p.country }

// point returns a point inside the place.
func (p *place) point(r *rand.Rand) (lat, lon int64) {
	width := p.east - p.west
	if width < 0 {
		width += fullCircle
	}
	return p.south + r.Int64N(p.north-p.south), wrap(p.west + r.Int64N(width))
}

func spread(r *rand.Rand, n int64) int64 { return r.Int64N(2*n) - n }

const fullCircle = 360_000_000

// wrap returns a longitude within ±180 degrees.
func wrap(lon int64) int64 {
	switch {
	case lon > fullCircle/2:
		return lon - fullCircle
	case lon < -fullCircle/2:
		return lon + fullCircle
	}
	return lon
}

func hex16(n uint64) string {
	s := strconv.FormatUint(n, 16)
	return "0000000000000000"[len(s):] + s
}

// place appends the place object.
func (o *buffer) place(p *place) {
	o.raw(`{"id":"`)
	o.raw(p.id)
	o.raw(`","name":`)
	o.str(p.name)
	o.raw(`,"full_name":`)
	o.str(p.fullName())
	o.raw(`,"country":`)
	o.str(p.country)
	o.raw(`,"country_code":`)
	o.str(p.code)
	o.raw(`,"place_type":"city","geo":{"type":"Feature","bbox":[`)
	for i, d := range [...]int64{p.west, p.south, p.east, p.north} {
		if i > 0 {
			o.raw(`,`)
		}
		o.degrees(d)
	}
	o.raw(`],"properties":{}}}`)
}
