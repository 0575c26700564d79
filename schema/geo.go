package schema

import "math"

// EarthRadius in km is the one of Redis' own distances.
const EarthRadius = 6372.797560856

// Distance returns the great-circle distance in km, by the haversine formula.
func (l Location) Distance(o Location) float64 {
	return 2 * EarthRadius * math.Asin(min(1, math.Sqrt(l.haversine(o))))
}

func (l Location) haversine(o Location) float64 {
	phi, psi := radians(l.Latitude), radians(o.Latitude)
	u, v := math.Sin((psi-phi)/2), math.Sin(radians(o.Longitude-l.Longitude)/2)
	return u*u + math.Cos(phi)*math.Cos(psi)*v*v
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

// Vector returns the point of the unit sphere. Points within a distance of
// another are those within its Chord, at the poles and across 180° too, which a
// GEO field gets wrong.
func (l Location) Vector() [3]float64 {
	phi, lambda := radians(l.Latitude), radians(l.Longitude)
	return [3]float64{math.Cos(phi) * math.Cos(lambda), math.Cos(phi) * math.Sin(lambda), math.Sin(phi)}
}

// Chord returns the square of the straight distance between two points of the
// unit sphere whose great-circle distance is km.
func Chord(km float64) float64 {
	half := km / EarthRadius / 2
	if half >= math.Pi/2 {
		return wholeSphere
	}
	return 4 * math.Sin(half) * math.Sin(half)
}

// wholeSphere is more than the square of the diameter.
const wholeSphere = 4.1

// degreeScale makes a coordinate a whole number, which RedisJSON parses
// exactly where it may miss a fraction's last bit: 1e-13 degrees are 10 nm,
// and 180 of them stay below 2^53.
const degreeScale = 1e13

// DegreeKey is a latitude or longitude as the index holds it.
func DegreeKey(degrees float64) int64 { return int64(math.Round(degrees * degreeScale)) }
