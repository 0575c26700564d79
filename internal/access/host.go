package access

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Host is a name of this service, without a port.
type Host string

// UnmarshalText checks the form.
func (h *Host) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" || strings.ContainsAny(s, "/@* \t") || hostname(s) != strings.Trim(strings.ToLower(s), "[].") {
		return errors.New("not a host: give a name or an address without a port, like tweets.example.org")
	}
	*h = Host(hostname(s))
	return nil
}

// Hosts are the names under which the service answers, besides those of
// loopback and the address that a request came to. A page of a name that
// someone else has led here is no page of ours.
type Hosts []Host

// Allow reports whether the request names this service.
func (h Hosts) Allow(r *http.Request) bool {
	name := hostname(r.Host)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	for _, host := range h {
		if hostname(string(host)) == name {
			return true
		}
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (addr.IsLoopback() || addr.Unmap() == local(r))
}

// local returns the address that a request came to.
func local(r *http.Request) netip.Addr {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return addr.AddrPort().Addr().Unmap()
}

// hostname returns the host of a Host header in one spelling.
func hostname(s string) string {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	return strings.ToLower(strings.TrimSuffix(s, "."))
}
