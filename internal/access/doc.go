// Package access tells who may ask: pages of which origins, under which names
// of the host, how often a client; and who a client is behind proxies. It
// decides; the edge answers.
package access

// Config says who may ask.
type Config struct {
	Origins Origins
	Hosts   Hosts
	Proxies Proxies
	// ClientRate bounds the requests a second of each client; 0 doesn't.
	ClientRate float64
}
