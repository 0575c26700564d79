package access

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
)

// Proxy is an address, or a range of them, of proxies in front.
type Proxy struct{ netip.Prefix }

// UnmarshalText reads an address or a prefix.
func (p *Proxy) UnmarshalText(text []byte) error {
	s := string(text)
	if addr, err := netip.ParseAddr(s); err == nil {
		p.Prefix = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
		return nil
	}
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		return errors.New("not an address: give one, or a range like 10.0.0.0/8")
	}
	p.Prefix = prefix.Masked()
	return nil
}

// Proxies are those whose word is taken for who a client is.
type Proxies []Proxy

// Client returns the address that a request comes from: the peer's, or, when
// that is a proxy we trust, the last in X-Forwarded-For that is none. It is the
// zero Addr for a peer without an address.
func (p Proxies) Client(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && p.trusts(client); i-- {
		addr, err := netip.ParseAddr(strings.TrimSpace(forwarded[i]))
		if err != nil {
			break
		}
		client = addr.Unmap()
	}
	return client
}

func (p Proxies) trusts(addr netip.Addr) bool {
	for _, proxy := range p {
		if proxy.Contains(addr) {
			return true
		}
	}
	return false
}
