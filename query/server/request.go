package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"visualizer/query/limits"
	"visualizer/query/transport"
)

const (
	// maxBody is the largest request body in bytes; GraphiQL's introspection
	// takes 2 kB.
	maxBody = 32 << 10
	// maxURL is the longest URL in bytes, as the request line has it.
	maxURL = 32 << 10
)

// limitSize refuses a request whose URL or body is too large. The body of the
// others is read as a whole before next sees them.
func limitSize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > maxURL {
			transport.Refuse(w, r, http.StatusRequestURITooLong, limits.CodeTooComplex, fmt.Sprintf("the URL is longer than %d bytes: send a POST", maxURL))
			return
		}
		body, err := readBody(w, r)
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			transport.Refuse(w, r, http.StatusRequestEntityTooLarge, limits.CodeTooComplex, fmt.Sprintf("the body is larger than %d bytes: ask for less at a time", maxBody))
			return
		case err != nil:
			transport.Refuse(w, r, http.StatusBadRequest, transport.CodeBadRequest, "the body ends before its length: send it again")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		// Not one byte of it is read; the server closes the connection.
		w.Header().Set("Connection", "close")
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

// maxOperations is how many requests are answered at a time. Each takes little
// memory, and more of them would only wait for each other.
const maxOperations = 512

// retryAfter is when to come again while too many requests are under way.
const retryAfter = time.Second

// limitConcurrency refuses requests for which no slot is free. A slot is held
// while an answer is made, not while a slow client takes it.
func limitConcurrency(slots transport.Slots, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case stays(r):
			next.ServeHTTP(w, r) // its operations take slots
		case slots.Take():
			made := answer{ResponseWriter: w, status: http.StatusOK}
			func() {
				defer slots.Free()
				next.ServeHTTP(&made, r)
			}()
			w.WriteHeader(made.status)
			w.Write(made.body)
		default:
			comeAgain(w, retryAfter)
			transport.Refuse(w, r, http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE", "too many requests are under way: try again later")
		}
	})
}

// answer keeps an answer until it is complete.
type answer struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(p []byte) (int, error) {
	a.body = append(a.body, p...)
	return len(p), nil
}

// stays reports whether a request asks for a connection that stays.
func stays(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" || transport.WantsStream(r)
}

// comeAgain says after how long to ask again, in whole seconds.
func comeAgain(w http.ResponseWriter, after time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
}
