package obs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	requestLimit = 10 * time.Second // to read a request, and to write an answer but profiles
	idleLimit    = time.Minute
	stopLimit    = time.Second // for answers that are under way when the service stops
	maxHeader    = 16 << 10    // bytes
)

// Ops is the listener for operators: health, metrics and profiles.
type Ops struct {
	log     *slog.Logger
	metrics *prometheus.Registry
	ready   readiness
	limit   time.Duration
}

// NewRegistry returns a registry that holds the metrics of the Go runtime and
// of the process.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return r
}

// NewOps returns an Ops that shows metrics and is ready until checks are added.
func NewOps(metrics *prometheus.Registry, log *slog.Logger) *Ops {
	return &Ops{
		log:     log,
		metrics: metrics,
		ready:   readiness{checks: map[string]Check{}, limit: checkLimit},
		limit:   requestLimit,
	}
}

// Check adds a check to /readyz, which shows the checks in the order in which
// they were added. A second check of the same name replaces the first. All are
// added before Serve.
func (o *Ops) Check(name string, check Check) {
	if _, ok := o.ready.checks[name]; !ok {
		o.ready.names = append(o.ready.names, name)
	}
	o.ready.checks[name] = check
}

// Serve answers on ln until ctx ends, then returns nil. It closes ln. Answers
// under way then, long profiles among them, have a second to finish.
func (o *Ops) Serve(ctx context.Context, ln net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	srv := &http.Server{
		Handler:           o.handler(life),
		ReadHeaderTimeout: o.limit,
		ReadTimeout:       o.limit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(o.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve ops on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	err := stop(srv)
	<-served
	end()
	o.ready.wait(stopLimit)
	return err
}

func stop(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}
	return err
}

// handler answers all paths. Checks that it starts end with life.
func (o *Ops) handler(life context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { o.ready.answer(life, w, r) })
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.metrics, promhttp.HandlerOpts{Registry: o.metrics}))
	profiles := http.NewServeMux()
	profiles.HandleFunc("/debug/pprof/", pprof.Index)
	profiles.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	profiles.HandleFunc("/debug/pprof/profile", pprof.Profile)
	profiles.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	profiles.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.Handle("/debug/pprof/", profiles)
	return o.deadlines(mux)
}

// deadlines bounds how long a slow reader holds an answer. Profiles have no
// bound, since they last as long as asked for; a read deadline would end them
// too, because the server watches for the client to go away by reading.
func (o *Ops) deadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn := http.NewResponseController(w)
		if isProfile(r) {
			_ = conn.SetReadDeadline(time.Time{})
			_ = conn.SetWriteDeadline(time.Time{})
		} else {
			_ = conn.SetWriteDeadline(time.Now().Add(o.limit))
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

func isProfile(r *http.Request) bool {
	const prefix = "/debug/pprof/"
	return len(r.URL.Path) > len(prefix) && r.URL.Path[:len(prefix)] == prefix
}

func text(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body+"\n")
}
