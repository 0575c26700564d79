package source

import (
	"net/http"
	"strconv"
	"time"
)

// aboutTheRequest reports whether a status may say that the API doesn't take a
// parameter of the request.
func aboutTheRequest(status int) bool {
	return status/100 == 4 && status != http.StatusUnauthorized && status != http.StatusConflict && !limited(status)
}

// limited reports whether a status says that there were too many requests.
func limited(status int) bool {
	const enhanceYourCalm = 420 // of API v1.1
	return status == http.StatusTooManyRequests || status == enhanceYourCalm
}

// resetOf is the end of the window that an answer names, if it does.
func resetOf(resp *http.Response) (time.Time, bool) {
	unix, err := strconv.ParseInt(resp.Header.Get("X-Rate-Limit-Reset"), 10, 64)
	return time.Unix(unix, 0), err == nil
}

// untilReset is the time to the end of the window that an answer names, 0 when
// it names none, and limitMost at most.
func (x *X) untilReset(resp *http.Response) time.Duration {
	reset, ok := resetOf(resp)
	if !ok {
		return 0
	}
	return min(reset.Sub(x.cfg.Clock.Now()), limitMost)
}

// windowOf is the end of the window in which the API will take no more
// connections, or the zero time while it does.
func (x *X) windowOf(resp *http.Response) time.Time {
	if resp.Header.Get("X-Rate-Limit-Remaining") != "0" {
		return time.Time{}
	}
	if wait := x.untilReset(resp); wait > 0 {
		return x.cfg.Clock.Now().Add(jitter(wait))
	}
	return time.Time{}
}
