package cli

import (
	"os"
	"runtime/debug"
)

// garbagePercent is how much garbage there may be, in percent of what lives. Go's
// own 100 has a service that holds little, and makes much, spend a fifth of its
// time on collecting.
const garbagePercent = 400

// LeaveGarbage has garbage lie longer than Go does by itself. Who starts the
// program has the last word, by GOGC; GOMEMLIMIT holds in any case.
func LeaveGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}
