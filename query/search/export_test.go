package search

import (
	"context"
	"time"

	"visualizer/schema"
)

// NewHasty returns a store whose planner guesses badly: its windows are too
// narrow and grow slowly, so that most pages need several.
func NewHasty(s *Store) *Store {
	hasty := New(s.client)
	hasty.tuning.firstWindow, hasty.tuning.spread, hasty.tuning.widen = 1, -2, 2
	return hasty
}

// ForgeCursor returns a cursor that nobody got, for the unfiltered list.
func ForgeCursor(o Order, number int64, name string) string {
	p, err := NewPredicate(nil)
	if err != nil {
		panic(err)
	}
	return encodeCursor(position{value: &value{number: number, name: name}, id: 7}, o.scope(p))
}

// NewMisled returns a store whose planner goes by exemplars that are not those
// of the store.
func NewMisled(s *Store, by []*schema.Tweet) *Store {
	misled := New(s.client)
	var candidates []*Candidate
	for _, t := range by {
		candidates = append(candidates, NewCandidate(t))
	}
	d := newDrawing(candidates)
	d.read = time.Now().Add(time.Hour)
	misled.exemplars.drawn = d
	return misled
}

// Exemplars reads exemplars as from a store of so many tweets.
func (s *Store) Exemplars(ctx context.Context, tweets int) ([]*schema.Tweet, error) {
	d, err := s.readExemplars(ctx, tweets)
	if err != nil {
		return nil, err
	}
	var read []*schema.Tweet
	for _, c := range d.candidates {
		read = append(read, c.tweet)
	}
	return read, nil
}

// The measures of exemplars.
const (
	ExemplarCount = exemplarCount
	ExemplarAge   = exemplarAge
	ExemplarLife  = exemplarLife
)

// TestedExemplars are read by a function of the test.
type TestedExemplars struct {
	exemplars
	read func() error
}

// NewExemplars returns some that are not read yet.
func NewExemplars(read func() error) *TestedExemplars { return &TestedExemplars{read: read} }

// Want reports whether there are any, and has them read when they are due.
func (e *TestedExemplars) Want() bool {
	return e.get(func() (*drawing, error) { return &drawing{read: time.Now()}, e.read() }) != nil
}

// Sleep lets time pass.
func (e *TestedExemplars) Sleep(d time.Duration) { time.Sleep(d) }
