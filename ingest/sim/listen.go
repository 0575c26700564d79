package sim

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listen serves s on a free port of the loopback interface until ctx ends or
// stop is called. base is the address to give to a client of the API: the
// stream is at base + StreamPath. stop cuts a running stream, returns when
// nothing of the server runs any more, and may be called again.
func (s *Server) Listen(ctx context.Context) (base string, stop func(), err error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for the simulator: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running, requests sync.WaitGroup
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			defer requests.Done()
			s.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    1 << 16,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	running.Go(func() { _ = srv.Serve(ln) }) // it ends with ErrServerClosed only
	running.Go(func() {
		<-ctx.Done()
		shutdown(srv)
		requests.Wait()
	})
	return "http://" + ln.Addr().String(), func() { cancel(); running.Wait() }, nil
}

// drainTime is how long a stream may take to see that it is over. It waits for
// the client only when that doesn't read.
const drainTime = 300 * time.Millisecond

func shutdown(srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		srv.Close()
	}
}
