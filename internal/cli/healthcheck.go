package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

const (
	// healthTime is longer than a service takes to name the checks that hang.
	healthTime = 3 * time.Second
	// healthBytes is the most that is read of an answer.
	healthBytes = 4 << 10
)

// Healthcheck is the subcommand that asks the running service whether it is
// ready, for images that have neither a shell nor curl. The service must have
// the settings of Ops.
func Healthcheck() Subcommand {
	return Command[healthSettings]{
		Name:        "healthcheck",
		Description: "Asks the running service whether it is ready; if not, says why and exits with 1.",
		Run: func(ctx context.Context, cfg *healthSettings) error {
			url, err := readyURL(cfg.OpsListen)
			if err != nil {
				return Usage(err)
			}
			return askReady(ctx, url)
		},
	}
}

type healthSettings struct{ Ops }

// readyURL returns where the service that listens on addr is asked. One that
// listens on all interfaces is asked on loopback.
func readyURL(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return "", fmt.Errorf("read --ops-listen %q: give it as host:port, as the service has it", addr)
	}
	if port == "0" {
		return "", fmt.Errorf("read --ops-listen %q: port 0 is another at each start: give the service a fixed one", addr)
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1" // which a listener on [::] answers too
	}
	return "http://" + net.JoinHostPort(host, port) + "/readyz", nil
}

// askReady returns nil when the service says that it is ready, else why not.
func askReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Usage(fmt.Errorf("ask %s: %w", url, err))
	}
	// Not the default transport, which a proxy variable leads elsewhere.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, unanswered(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, healthBytes))
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, unanswered(err))
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusServiceUnavailable:
		return fmt.Errorf("not ready: %s", strings.TrimSpace(string(body)))
	}
	return fmt.Errorf("ask %s: %s: this is not the service's --ops-listen", url, resp.Status)
}

// unanswered leaves out of err what is said beside it.
func unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer in %s", healthTime)
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}
