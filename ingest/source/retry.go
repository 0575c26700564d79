package source

import (
	"math/rand/v2"
	"time"
)

// Waits of the X stream before a client may connect again.
const (
	networkStep = 250 * time.Millisecond // more for each failure
	networkMost = 16 * time.Second
	httpFirst   = 5 * time.Second // twice as long for each failure
	httpMost    = 320 * time.Second
	limitFirst  = 60 * time.Second // twice as long for each 429
	limitMost   = 16 * time.Minute // X counts connections over 15 minutes
)

// brief is how long a connection lasts at least for the next to follow at once,
// time after time: the API allows 50 in 15 minutes.
const brief = 20 * time.Second

// retry counts the failures since a connection last delivered, by kind, and
// the connections that delivered and were brief, in a row.
type retry struct{ network, http, limited, brief int }

// afterDrop returns the wait after a connection that delivered for so long.
func (r *retry) afterDrop(lasted time.Duration) time.Duration {
	r.network = 0
	if lasted >= brief {
		r.brief = 0
	}
	r.brief++
	return min(time.Duration(r.brief-1)*networkStep, networkMost)
}

// afterNetwork returns the wait after an error below HTTP.
func (r *retry) afterNetwork() time.Duration {
	r.network++
	return min(time.Duration(r.network)*networkStep, networkMost)
}

// afterHTTP returns the wait after a status that is not 200.
func (r *retry) afterHTTP() time.Duration {
	r.http++
	return doubling(httpFirst, httpMost, r.http)
}

// afterLimit returns the wait after a 429 that names the end of its window,
// or doesn't (reset 0).
func (r *retry) afterLimit(reset time.Duration) time.Duration {
	r.limited++
	return max(doubling(limitFirst, limitMost, r.limited), reset)
}

func doubling(first, most time.Duration, n int) time.Duration {
	for ; n > 1 && first < most; n-- {
		first *= 2
	}
	return min(first, most)
}

// jitter lengthens a wait by up to a tenth, so that clients which were cut off
// together don't come back together.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/10+1))
}
