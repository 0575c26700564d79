package cli

import (
	"fmt"
	"slices"
	"strings"
)

// prefix begins the name of every variable of the family.
const prefix = "VISUALIZER_"

// fileSuffix ends the names of variables whose value may also be given in the
// variable without it.
const fileSuffix = "_FILE"

// variables returns the variables of all commands, without the prefix.
func variables() []string {
	return []string{
		"SOURCE", "RATE", "X_URL", "X_BEARER_TOKEN_FILE", "X_BEARER_TOKEN", "X_BACKFILL_MINUTES", // ingest
		"RETENTION", "MAX_TWEETS",
		"LISTEN", "DEADLINE", "SHOW_PLANS", "ALLOWED_ORIGINS", "ALLOWED_HOSTS", "TRUSTED_PROXIES", "CLIENT_RATE", // query
		"ADMIN_TOKEN_FILE", "ADMIN_TOKEN",
		"REDIS_URL", "GRAPH_URL", "NATS_URL", "DATA", "OPS_LISTEN", // both, and the all-in-one
		"LOG_LEVEL", "LOG_FORMAT", "OTLP_ENDPOINT", "TRACE_RATIO",
		"OUT", "TWEETS", "SEED", // visualizer sim
		"TAG", "DRY_RUN", // visualizer rules
		"QUICK", // bench
	}
}

// variable returns the name of the variable of a flag.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func known(name string) bool {
	return slices.Contains(variables(), strings.TrimPrefix(name, prefix))
}

// environment returns the family's variables that are set. A variable set to
// nothing is left out: compose files pass unset ones on like this.
func environment(environ []string) (map[string]string, error) {
	env := map[string]string{}
	var unknown []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case !strings.HasPrefix(name, prefix):
		case !known(name):
			unknown = append(unknown, name)
		case value != "":
			env[name] = value
		}
	}
	return env, unknownVariables(unknown)
}

func unknownVariables(names []string) error {
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	if len(names) > 1 {
		return fmt.Errorf("unknown environment variables %s: unset them", strings.Join(names, ", "))
	}
	if near := nearest(names[0]); near != "" {
		return fmt.Errorf("unknown environment variable %s: did you mean %s?", names[0], near)
	}
	return fmt.Errorf("unknown environment variable %s: unset it", names[0])
}

// nearest returns the variable that name is most likely a slip of, or "".
func nearest(name string) string {
	best, least := "", 3
	for _, candidate := range variables() {
		if d := distance(strings.TrimPrefix(name, prefix), candidate); d < least {
			best, least = prefix+candidate, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
