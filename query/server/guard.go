package server

import (
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"

	"visualizer/internal/access"
	"visualizer/query/transport"
)

// codeForbidden is the code of a request from where none may come.
const codeForbidden = "UNAUTHENTICATED"

// guard refuses requests under a name that isn't ours and from pages that may
// not call, and tells browsers which may.
func guard(cfg access.Config, next http.Handler) http.Handler {
	if len(cfg.Origins) > 0 { // of none, cors would make all
		next = cors.New(corsOptions(cfg.Origins)).Handler(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !cfg.Hosts.Allow(r):
			transport.Refuse(w, r, http.StatusForbidden, codeForbidden, "the Host is not a name of this service: add it to --allowed-hosts")
		case !cfg.Origins.Allow(r):
			transport.Refuse(w, r, http.StatusForbidden, codeForbidden, "pages of this origin may not call: add it to --allowed-origins")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// preflightAge is how long a browser may remember that a page may call.
const preflightAge = 10 * time.Minute

func corsOptions(origins access.Origins) cors.Options {
	options := cors.Options{
		AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"Accept", "Authorization", "Content-Type", "X-GraphQL-Event-Stream-Token"},
		ExposedHeaders: []string{"Retry-After", "X-Request-Id"},
		MaxAge:         int(preflightAge.Seconds()),
	}
	for _, o := range origins {
		options.AllowedOrigins = append(options.AllowedOrigins, string(o))
	}
	return options
}

// limitRate refuses requests of a client that asks too often.
func limitRate(rate rateLimit, next http.Handler) http.Handler {
	if rate == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wait, ok := rate(r); !ok {
			comeAgain(w, wait)
			transport.Refuse(w, r, http.StatusTooManyRequests, "RATE_LIMITED", "you ask too often: wait as Retry-After says")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// rateLimit counts a request of a client. It is nil where there is no limit.
type rateLimit func(r *http.Request) (wait time.Duration, ok bool)

func newRateLimit(cfg access.Config) rateLimit {
	if cfg.ClientRate <= 0 {
		return nil
	}
	clients := access.NewRate(cfg.ClientRate)
	return func(r *http.Request) (time.Duration, bool) { return clients.Take(cfg.Proxies.Client(r), time.Now()) }
}

// compress answers with gzip where that is accepted and saves something.
func compress(next http.Handler) http.Handler {
	zipped := gzhttp.GzipHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stays(r) {
			next.ServeHTTP(w, r)
			return
		}
		zipped.ServeHTTP(w, r)
	})
}
