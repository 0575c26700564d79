package access

import (
	"math"
	"net/netip"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// maxClients is how many clients are told apart; those that came last are.
const maxClients = 10_000

// Rate bounds how often each client may ask.
type Rate struct {
	perSecond float64
	mu        sync.Mutex // guards clients
	clients   *lru.LRU[netip.Prefix, *rate.Limiter]
}

// NewRate allows so many requests a second, more than 0, and a second's at once.
func NewRate(perSecond float64) *Rate {
	clients, _ := lru.NewLRU[netip.Prefix, *rate.Limiter](maxClients, nil) // fails on no size alone
	return &Rate{perSecond: perSecond, clients: clients}
}

// Take counts a request. When it is one too many, wait says after how long one
// would not be.
func (r *Rate) Take(client netip.Addr, now time.Time) (wait time.Duration, ok bool) {
	limiter := r.limiter(network(client))
	if limiter.AllowN(now, 1) {
		return 0, true
	}
	missing := 1 - limiter.TokensAt(now)
	return time.Duration(missing / r.perSecond * float64(time.Second)), false
}

func (r *Rate) limiter(client netip.Prefix) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if limiter, known := r.clients.Get(client); known {
		return limiter
	}
	limiter := rate.NewLimiter(rate.Limit(r.perSecond), int(math.Ceil(r.perSecond)))
	r.clients.Add(client, limiter)
	return limiter
}

// network is who one client is: an IPv4 address, or what an IPv6 subscriber
// gets, which is 2^64 addresses.
func network(addr netip.Addr) netip.Prefix {
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}
