// Package obs lets a service be watched: its log, its metrics, its health and
// the listeners that show them. Ops serves /livez, /readyz, /metrics and
// /debug/pprof on an address of their own, which must not be reachable for
// clients.
package obs
