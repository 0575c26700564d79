package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"visualizer/internal/line"
	"visualizer/query/feed"
	"visualizer/query/search"
)

// Codes of errors, as they stand in extensions.code. Those of parsing and
// validating come from gqlgen.
const (
	codeBadInput    = "BAD_USER_INPUT"
	codeTimeout     = "TIMEOUT"
	codeUnavailable = "SERVICE_UNAVAILABLE"
	codeInternal    = "INTERNAL_SERVER_ERROR"
	codeNoAdmin     = "UNAUTHENTICATED"
	codeGap         = "FEED_GAP"
)

// failure marks an error of a resolver: what it says is for the log unless its
// kind is known. Any other error without a code is about a value that gqlgen
// could not read.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// PresentError returns the error as a client sees it. What Redis said goes to
// the log, beside the request's id that the client gets too.
func PresentError(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := graphql.DefaultErrorPresenter(ctx, err)
		cause := errors.Unwrap(err) // for the log; err itself is what is shown
		if shown.Extensions == nil {
			shown.Extensions = map[string]any{}
		}
		if _, coded := shown.Extensions["code"]; !coded {
			code, message := describe(err)
			shown.Extensions["code"] = code
			if message != "" {
				shown.Message = message
			}
			addPath(shown, err)
			if code == codeInternal {
				log.Error("answer a query", "path", shown.Path, "err", cause, "request", RequestID(ctx))
			} else if code != codeBadInput {
				log.Debug("answer a query", "path", shown.Path, "err", cause, "request", RequestID(ctx))
			}
		}
		if id := RequestID(ctx); id != "" {
			shown.Extensions["requestId"] = id
		}
		shown.Message = shortened(shown.Message)
		return shown
	}
}

// maxMessage is the length of the longest message in bytes. Longer ones only
// repeat what the client sent.
const maxMessage = 400

func shortened(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}

// describe returns an error's code, and the message to show when it is not
// the error's own.
func describe(err error) (code, message string) {
	var internal failure
	switch {
	case errors.As(err, new(*search.InputError)):
		return codeBadInput, ""
	case errors.Is(err, search.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return codeTimeout, search.ErrTimeout.Error() + ": ask for less or try again"
	case errors.Is(err, search.ErrUnavailable), errors.Is(err, line.ErrUnavailable):
		return codeUnavailable, search.ErrUnavailable.Error() + ": try again later"
	case errors.Is(err, feed.ErrUnavailable), errors.Is(err, feed.ErrFull):
		return codeUnavailable, err.Error() + ": try again later"
	case errors.Is(err, feed.ErrGap), errors.Is(err, feed.ErrSlow):
		return codeGap, err.Error() + ": ask tweets for them and subscribe again"
	case errors.As(err, &internal), errors.Is(err, errPanic):
		return codeInternal, "internal error"
	}
	return codeBadInput, ""
}

// addPath leads from the field to the argument that is wrong.
func addPath(shown *gqlerror.Error, err error) {
	input, ok := errors.AsType[*search.InputError](err)
	if !ok {
		return
	}
	path := append(ast.Path{}, shown.Path...)
	for _, part := range input.Path {
		switch part := part.(type) {
		case string:
			path = append(path, ast.PathName(part))
		case int:
			path = append(path, ast.PathIndex(part))
		}
	}
	shown.Path = path
}

var errPanic = errors.New("panic")

// RecoverPanic makes a panic in a resolver an internal error of its field.
func RecoverPanic(_ context.Context, cause any) error {
	return fmt.Errorf("%w: %v", errPanic, cause)
}

type requestIDKey struct{}

// WithRequestID returns a context whose errors show id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
