package ingest

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"

	"visualizer/ingest/sim"
	"visualizer/ingest/source"
	"visualizer/schema"
)

// simSeed makes the same authors and hashtags in every run.
const simSeed = 1

// simulator is the source sim: a simulated world behind the protocol of X's
// sample stream, read with the client for X.
type simulator struct {
	perSecond float64
	watch     func(schema.StreamState, error)
}

func newSimulator(perSecond float64) *simulator {
	return &simulator{perSecond: perSecond, watch: func(schema.StreamState, error) {}}
}

// Name is "sim".
func (*simulator) Name() string { return "sim" }

// Watch is told when the stream's state changes.
func (s *simulator) Watch(watch func(schema.StreamState, error)) { s.watch = watch }

// Events serves the world and yields what the client reads.
func (s *simulator) Events(ctx context.Context) iter.Seq2[schema.Event, error] {
	return func(yield func(schema.Event, error) bool) {
		secret := rand.Text()
		token, err := source.NewToken(secret)
		if err != nil {
			yield(schema.Event{}, fmt.Errorf("start the simulator: %w", err))
			return
		}
		base, stop, err := sim.NewServer(sim.Config{Seed: simSeed, Rate: s.perSecond, Token: secret}).Listen(ctx)
		if err != nil {
			yield(schema.Event{}, err)
			return
		}
		defer stop()
		client, err := source.NewX(source.XConfig{Name: s.Name(), URL: base, Token: token, OnState: s.watch})
		if err != nil {
			yield(schema.Event{}, err)
			return
		}
		for event, err := range client.Events(ctx) {
			if !yield(event, err) {
				return
			}
		}
	}
}
