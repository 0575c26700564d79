package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"visualizer/graph"
)

// Admin says who may send mutations.
type Admin struct {
	// Token is what a client must show; "" is none.
	Token string
	// Local: without a Token, a client on this machine may. It is for the
	// all-in-one alone: in front of a service of its own may be a proxy, for
	// which every client is on this machine. A page elsewhere that has its own
	// name lead here is refused before, by its Host.
	Local bool
}

// guard lets the requests of admins through as such.
func (a Admin) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.admits(r) {
			r = r.WithContext(graph.WithAdmin(r.Context()))
		}
		next.ServeHTTP(w, r)
	})
}

func (a Admin) admits(r *http.Request) bool {
	if a.Token != "" {
		return a.knows(r.Header.Get("Authorization"))
	}
	return a.Local && fromLoopback(r.RemoteAddr) && !forwarded(r.Header)
}

var errForbidden = errors.New("the token is not the admin token")

// admitSocket lets through the operations of a WebSocket whose connection_init
// shows the token, as those of an admin. Who shows none is as the request was;
// who shows a wrong one is refused. Where there is no token, none is wrong.
func (a Admin) admitSocket(ctx context.Context, _ *http.Request, payload map[string]any) (context.Context, error) {
	for name, value := range payload {
		if a.Token == "" || !strings.EqualFold(name, "Authorization") {
			continue
		}
		if text, ok := value.(string); !ok || !a.knows(text) {
			return nil, errForbidden
		}
		ctx = graph.WithAdmin(ctx)
	}
	return ctx, nil
}

// knows compares a header with the token, in a time that tells nothing of how
// much of it is right or how long it is.
func (a Admin) knows(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	given, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(a.Token))
	return subtle.ConstantTimeCompare(given[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

func fromLoopback(addr string) bool {
	peer, err := netip.ParseAddrPort(addr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

// forwarded reports whether a proxy says that it passed the request on.
func forwarded(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded") || slices.Contains(forwardingHeaders, name) {
			return true
		}
	}
	return false
}

// forwardingHeaders are those of proxies, as net/http spells them.
var forwardingHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For",
	"X-Original-Host", "X-Proxyuser-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip",
}
