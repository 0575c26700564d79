// Package fault keeps a mistake in the program to the request that met it. A
// panic in a goroutine of its own would end the process, and with it the
// requests of everybody else.
package fault

import (
	"fmt"
	"runtime/debug"
)

// Contain makes a call and returns its panic, if it has one, as an error that
// tells where it came from.
func Contain(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return call()
}
