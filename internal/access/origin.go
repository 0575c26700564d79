package access

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Origin is where a page comes from: scheme and host, and a port that isn't the
// scheme's own, in lower case, as browsers send it.
type Origin string

// UnmarshalText checks the form.
func (o *Origin) UnmarshalText(text []byte) error {
	s := strings.ToLower(string(text))
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" || strings.Contains(s, "*") || s != u.Scheme+"://"+u.Host {
		return errors.New("not an origin: give scheme and host, like https://dash.example.org")
	}
	*o = Origin(s)
	return nil
}

// Origins are those whose pages may call besides the service's own.
type Origins []Origin

// Allow reports whether a request may be answered: it comes from no page, from
// the service's own, or from one of an origin that is allowed. The origin "null"
// is any page's that hides where it comes from, so it isn't.
func (o Origins) Allow(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		// A browser that sends no Origin says so here, unless it is old.
		site := r.Header.Get("Sec-Fetch-Site")
		return r.Method == http.MethodGet || site == "" || site == "same-origin" || site == "none"
	}
	if slices.Contains(o, Origin(strings.ToLower(origin))) {
		return true
	}
	// The scheme is not compared: a proxy may have taken TLS off.
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
