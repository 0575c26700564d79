package obs

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"
)

// Check tells whether a part that the service needs answers; nil means yes. It
// returns when ctx ends.
type Check func(ctx context.Context) error

// checkLimit is the time that all checks of one answer have together.
const checkLimit = 2 * time.Second

// maxReason bounds the text of one failed check, in bytes.
const maxReason = 300

// readiness runs named checks. However often it is asked, a check runs once at
// a time: one that hangs is not started again but reported.
type readiness struct {
	names  []string
	checks map[string]Check
	limit  time.Duration
	flight singleflight.Group
}

// failures runs all checks side by side and returns a line for each that
// failed, in the order in which they were added. It returns early when ctx
// ends; the checks end with life.
func (r *readiness) failures(ctx, life context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	results := make([]<-chan singleflight.Result, len(r.names))
	for i, name := range r.names {
		results[i] = r.start(life, name)
	}
	var lines []string
	for i, name := range r.names {
		if err := await(ctx, results[i], r.limit); err != nil {
			lines = append(lines, name+": "+line(err))
		}
	}
	return lines
}

// start runs a check, or joins it where it is running. Its deadline is its
// own, not the caller's, since callers that came later share the answer.
func (r *readiness) start(life context.Context, name string) <-chan singleflight.Result {
	return r.flight.DoChan(name, func() (any, error) {
		ctx, cancel := context.WithTimeout(life, r.limit)
		defer cancel()
		return nil, r.checks[name](ctx)
	})
}

// wait returns when no check runs any more, or when the limit has passed.
func (r *readiness) wait(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for _, name := range r.names {
		running := r.flight.DoChan(name, func() (any, error) { return nil, nil })
		_ = await(ctx, running, limit)
	}
}

// await prefers a result that is there to the deadline that has passed.
func await(ctx context.Context, result <-chan singleflight.Result, limit time.Duration) error {
	select {
	case r := <-result:
		return r.Err
	default:
	}
	select {
	case r := <-result:
		return r.Err
	case <-ctx.Done():
		return fmt.Errorf("no answer in %s", limit)
	}
}

func line(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return strings.ToValidUTF8(text[:min(len(text), maxReason)], "")
}

func (r *readiness) answer(life context.Context, w http.ResponseWriter, req *http.Request) {
	failed := r.failures(req.Context(), life)
	if len(failed) == 0 {
		text(w, http.StatusOK, "ready")
		return
	}
	text(w, http.StatusServiceUnavailable, strings.Join(failed, "\n"))
}
