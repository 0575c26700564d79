// Package faults holds the proof that ingest can be left alone: its tests run
// the real command on real servers, each in a process of its own, behind
// proxies that cut connections, and kill, pause, fill and restart them while a
// simulated stream goes on. What must be there afterwards the simulator knows.
//
// Each fault proves that it happened; a test whose faults did not happen fails.
package faults
