package sim

// regions are where the world's invented towns lie: real countries, so that
// country codes and distances mean something. Two are there for their edges:
// one crosses the antimeridian, one lies beyond what Redis can index.
var regions = []region{
	{"US", "United States", 41_200_000, -87_900_000, 9},
	{"US", "United States", 34_400_000, -118_700_000, 7},
	{"JP", "Japan", 35_500_000, 139_300_000, 9},
	{"GB", "United Kingdom", 52_300_000, -1_700_000, 6},
	{"BR", "Brazil", -23_100_000, -46_900_000, 6},
	{"TR", "Türkiye", 40_600_000, 29_500_000, 5},
	{"ES", "Spain", 40_100_000, -3_900_000, 4},
	{"MX", "Mexico", 19_800_000, -99_600_000, 4},
	{"TH", "Thailand", 13_400_000, 100_200_000, 4},
	{"SA", "Saudi Arabia", 24_300_000, 46_200_000, 3},
	{"KR", "Republic of Korea", 37_100_000, 127_400_000, 3},
	{"ID", "Indonesia", -6_700_000, 106_400_000, 3},
	{"FR", "France", 48_300_000, 2_900_000, 3},
	{"PH", "Philippines", 14_200_000, 121_400_000, 2},
	{"DE", "Germany", 52_900_000, 12_800_000, 2},
	{"IN", "India", 28_100_000, 77_800_000, 2},
	{"IT", "Italy", 42_300_000, 12_100_000, 2},
	{"AR", "Argentina", -34_200_000, -58_900_000, 2},
	{"NG", "Nigeria", 6_900_000, 3_700_000, 2},
	{"ZA", "South Africa", -26_700_000, 28_400_000, 1},
	{"AU", "Australia", -33_400_000, 150_700_000, 1},
	{"NO", "Norway", 78_300_000, 15_500_000, 1},
	{"FJ", "Fiji", -17_500_000, 179_950_000, 1},
	{"AQ", "Antarctica", -86_200_000, 40_300_000, 1},
}

// region is a centre in millionths of a degree; weight is how many towns it has.
type region struct {
	code, country string
	lat, lon      int64
	weight        int
}

// homelands are the countries where speakers of a language live; without an
// entry they live anywhere.
var homelands = map[string][]string{
	"en": {"US", "GB", "NG", "ZA", "AU", "FJ", "AQ", "NO"}, "ja": {"JP"}, "es": {"ES", "MX", "AR"}, "tr": {"TR"}, "pt": {"BR"},
	"th": {"TH"}, "ar": {"SA"}, "ko": {"KR"}, "in": {"ID"}, "fr": {"FR"}, "tl": {"PH"}, "de": {"DE"}, "hi": {"IN"}, "it": {"IT"},
}

// townHeads and townTails make names of towns.
var townHeads = []string{"Port ", "Upper ", "New ", "Saint Kelp ", "Lower ", "Old ", "San ", "Bad ", "North ", "East "}

var townTails = []string{"Quillon", "Vantroy", "Fenwater", "Kettlemore", "Mossby", "Tamlun", "Orsk-Havn", "Belrin", "Ñandú", "Côte-Brume", "Æsvik"}
