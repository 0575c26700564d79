package stack

// role is what one of the two redis-servers is for.
type role struct {
	name    string // of its folder under Data, in logs and in errors
	flag    string // that replaces it
	advice  string // for when the servers of the cache don't run here
	modules []module
	// appendOnly makes the append-only file the only one that is loaded.
	appendOnly bool
	// settings are lines of redis.conf beside those that both roles share.
	settings []string
	// probes are commands that answer without an error once the role is served.
	probes [][]string
	// wheels hold redis-server and the modules.
	wheels []wheel
}

type module struct{ file, args string }

// searchArgs keep RediSearch from answering with less than the truth: a query
// that runs out of time is an error, results and prefix expansions aren't cut,
// and one-letter prefixes expand. Its time limit stays at the default, 500 ms.
const searchArgs = "ON_TIMEOUT FAIL MAXSEARCHRESULTS -1 MAXAGGREGATERESULTS -1" +
	" MAXPREFIXEXPANSIONS 1000000 MINPREFIX 1 DEFAULT_DIALECT 2"

// tweetsRole keeps every write in an append-only file, synced each second, and
// refuses writes rather than evict a tweet when memory is bounded and full.
func tweetsRole() role {
	return role{
		name:       "redis",
		flag:       "--redis-url",
		advice:     "see server.log there",
		modules:    []module{{"redisearch.so", searchArgs}, {"rejson.so", ""}},
		appendOnly: true,
		settings:   []string{"appendonly yes", "appendfsync everysec", `save ""`},
		probes:     [][]string{{"FT._LIST"}, {"JSON.GET", "visualizer:no-such-key"}},
		wheels:     []wheel{falkordbWheel, redisStackWheel},
	}
}

// graphRole keeps snapshots only: FalkorDB takes 100 times as long to replay an
// append-only file, and can't replay some at all. Whoever writes to it asks for a
// snapshot before the source is told; the one a minute is for strangers.
func graphRole() role {
	return role{
		name:     "graph",
		flag:     "--graph-url",
		advice:   "install libgomp1",
		modules:  []module{{"falkordb.so", ""}},
		settings: []string{"appendonly no", "save 60 1"},
		probes:   [][]string{{"GRAPH.LIST"}},
		wheels:   []wheel{falkordbWheel},
	}
}
