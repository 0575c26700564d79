package sim

// topics order the subjects of every language: its list of subjects is as many
// entries a topic, one topic after the other, so that a subject tells its
// topic and with it the hashtags that fit.
var topics = []topic{
	{"Sea", []string{"Tide", "Kelp", "Harbour", "Lighthouse"}},
	{"Baking", []string{"Sourdough", "Oven", "Crust", "Rye"}},
	{"Night trains", []string{"NightTram", "Sleeper", "Platform", "Rails"}},
	{"Night sky", []string{"Comet", "Moonrise", "Perigee", "DarkSky"}},
	{"Gardens", []string{"Compost", "Tomato", "Allotment", "Orchard"}},
	{"Board games", []string{"Gambit", "Dice", "Endgame", "Puzzle"}},
	{"Choirs", []string{"Choir", "Chorus", "Organ", "Encore"}},
	{"Football of invented clubs", []string{"Quillon", "Vantroy", "Derby", "Kickoff"}},
	{"Weather", []string{"Drizzle", "Fog", "Hail", "Thunder"}},
	{"Libraries", []string{"Library", "Paperback", "Bookmark", "Chapter"}},
	{"Cycling", []string{"Bike", "Gravel", "Puncture", "Tandem"}},
	{"Machines", []string{"Robot", "Solder", "Compiler", "Gearbox"}},
}

type topic struct {
	name  string
	stems []string
}

// tagEndings make hashtags of a topic's stems.
var tagEndings = []string{"", "Watch", "Day", "Week", "Club", "Talk", "Now", "19", "2030", "_live"}

// accentTags are hashtags whose letters lie beyond ASCII, so that folding has
// something to keep apart or to join.
var accentTags = []string{
	"CaféDelMuelle", "CafeDelMuelle", "MareaBaja", "PãoDeCentro", "ÜberDeich", "UeberDeich", "Straßenchor",
	"STRASSENCHOR", "İskeleGünü", "IskeleGunu", "ÇorbaSaati", "NiñosDelPuerto", "ŁódźNaFali", "ŽlutýVlak",
	"ＴＩＤＥ", "Ångbåt", "ÉtéAuPort", "Crème19", "Šachy", "Høst",
}

// cashtags are invented tickers.
var cashtags = []string{
	"KELPX", "TYDEQ", "BRDQZ", "TRAMZ", "COMTQ", "MOSSX", "DICEQ", "CHORZ", "QLLNX", "FOGGQ", "LIBRZ", "GRVLX",
}

// emoji holds single code points, pairs and joined sequences.
var emoji = []string{
	"😂", "😭", "❤️", "🔥", "✨", "🙏", "👍🏽", "🌊", "🍞", "🚋", "🌙", "🌱", "♟️", "🎶", "⚽", "🌧️", "📚", "🚲", "🤖", "🎉",
	"👩‍🚒", "🧑‍🌾", "👨‍👩‍👧", "🏴‍☠️", "🧑🏾‍🔬", "👩🏻‍🎨", "🐻‍❄️", "🫠", "🥹", "🪗", "⭐", "☕", "👀", "💯", "🇺🇳", "1️⃣",
}

// escaped are bits of text that the API delivers HTML-escaped, and some that
// look so because somebody typed them.
var escaped = []string{
	"bread &amp; butter", "salt &amp; kelp", "&lt;3", "2 &gt; 1", "R&amp;D", "&amp;amp;", "tea &amp; fog &amp; rain", "a &lt; b",
}

// quips are short texts that belong to no language.
var quips = []string{
	"hmm", "ok ok", "lol", "aaaaa", "wow", "yesss", "nope", "hahaha", "mmm", "oh", "tadaa", "brrr", "zzz", "ooh la",
}

// sources are the programs that tweets were written with.
var sources = []string{
	"Example Web App", "Example for Phones", "Example for Tablets", "Kelpdeck", "Tidebot 2000", "Lantern & Sons Scheduler",
}

// hostWords make the hosts of links, each a name under .example.
var hostWords = []string{
	"tides", "harbour-news", "bread", "tram", "comet", "moss", "gambit", "choir", "quillon-post", "fog", "library", "gravel",
	"robot", "lantern", "kettle", "video", "photos", "shop.kettle", "blog.moss", "maps", "radio", "weather", "archive", "notes",
}

// slugs and titles are paths and headings of linked pages.
var slugs = []string{"today", "a-quiet-week", "how-to-listen", "minutes", "results", "gallery", "first-light", "recipe", "timetable", "faq"}

var titles = []string{
	"Tides of the week", "How the oven was saved", "A timetable for owls", "What the comet left", "Minutes of the moss club",
	"Results & rumours", "The \"quiet\" carriage", "Weather, mostly", "Books that came back", "Gravel for beginners",
}

// altTexts describe pictures.
var altTexts = []string{
	"kelp on a grey beach", "a loaf, cut open", "an empty tram at night", "a smear of light that is a comet", "three tomatoes",
	"a chess board \"in use\"", "singers in yellow coats", "a muddy ball", "fog", "a shelf with one gap",
}

// bios are parts of profile descriptions.
var bios = []string{
	"tide tables & kelp", "bakes, sleeps, bakes", "rides the last tram", "looking up", "compost is a verb", "plays black",
	"second alto", "away games only", "it will rain", "overdue since spring", "gravel & coffee", "solders by daylight",
	"潮と灯台", "hornos y mareas", "çay & yağmur", "маяки и дожди", "بحر وخبز", "바다와 빵", "ทะเลและขนมปัง", "opinions \\ my own",
}

// towns are where profiles say they are.
var towns = []string{
	"Port Quillon", "Upper Fen", "Vantroy", "Lower Kettle", "Isla Marea", "Nordmole", "Kıyıköy Yolu", "潮見町", "등대마을", "Мшистый берег",
	"the last stop", "somewhere & nowhere", "ميناء الضباب", "เมืองคลื่น", "Earth, mostly",
}

// syllables make user names and Latin display names.
var syllables = []string{
	"bel", "dor", "mira", "van", "tro", "quil", "lon", "kes", "ari", "fen", "osk", "tam", "lun", "vey", "rin", "sol",
	"pax", "nim", "cor", "eld", "hav", "jun", "wil", "zar", "mo", "ku", "ti", "sa", "ne", "ro", "yu", "da",
}
