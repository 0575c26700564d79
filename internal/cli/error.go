package cli

import (
	"context"
	"errors"
)

// UsageError is an error that only another command line or another input can
// mend. Its exit code is 2.
type UsageError struct{ Err error }

// Usage makes err a UsageError; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// BadUsage is true.
func (e *UsageError) BadUsage() bool { return true }

// isUsage finds any error with a true BadUsage method, so that packages below
// can mark theirs without importing this one.
func isUsage(err error) bool {
	var bad interface{ BadUsage() bool }
	return errors.As(err, &bad) && bad.BadUsage()
}

// onlyCanceled reports whether err is context.Canceled and nothing else: in
// joined errors each must be, so that a real failure is not taken for the end
// that was asked for.
func onlyCanceled(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			if !onlyCanceled(each) {
				return false
			}
		}
		return true
	}
	if inner := errors.Unwrap(err); inner != nil {
		return onlyCanceled(inner)
	}
	return err == context.Canceled
}
