package obs

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Listen binds the TCP address addr, host:port, where port 0 takes a free one.
// The error is one line that names flag, such as "--listen", as what to change.
// It is a bad usage when addr can't be an address at all.
func Listen(flag, addr string) (net.Listener, error) {
	// net.Listen takes "" for any port of any interface; here it is a slip.
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, bad(flag, addr, err)
	}
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return ln, nil
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return nil, fmt.Errorf("listen %s: %w: choose another with %s", addr, errno, flag)
	}
	return nil, bad(flag, addr, err)
}

func bad(flag, addr string, err error) error {
	return badAddress{fmt.Errorf("listen %q: %s: give %s as host:port, like 127.0.0.1:8080", addr, reason(err), flag)}
}

// reason leaves out of err the address, which net repeats.
func reason(err error) string {
	var addr *net.AddrError
	if errors.As(err, &addr) {
		return addr.Err
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}

// badAddress marks an error that only another setting can mend.
type badAddress struct{ error }

// BadUsage is true.
func (badAddress) BadUsage() bool { return true }

func (b badAddress) Unwrap() error { return b.error }
