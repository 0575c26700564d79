package report

import (
	"context"
	"fmt"
)

// Pair is a question that two measurements answer, taken in turn, A B A B …, so
// that what the machine does besides concerns both.
type Pair struct {
	// Target names the row of the table of targets, like "B1".
	Target   string
	Question string
	// Unit of both sides' values.
	Unit   string
	A, B   Side // B without Measure: A alone is the answer
	Answer Answer
	Limit  Limit
	// Rounds is how often each side is measured.
	Rounds int
}

// Side is one half of a pair.
type Side struct {
	Name    string
	Measure func(ctx context.Context) (Reading, error)
}

// Reading is one measurement.
type Reading struct {
	Value float64
	// Fault, if there is one, says why the value can't count as reached.
	Fault string
}

// Answer makes the answer of a round from the values of both sides.
type Answer int

// The answers of a pair.
const (
	Ratio      Answer = iota // A ÷ B, without unit
	Difference               // A − B
	Alone                    // A
)

// of returns the answer of one round.
func (a Answer) of(valueA, valueB float64) float64 {
	switch a {
	case Ratio:
		return valueA / valueB
	case Difference:
		return valueA - valueB
	}
	return valueA
}

// Row is what a pair came to.
type Row struct {
	Target, Question string
	A, B             string // each with its median; B may be ""
	Answer           Sample // one a round, or one in all
	Unit             string // of the answer
	Limit            Limit
	Fault            string // why the answer can't count as reached, or ""
}

// Measure measures a pair. done, if not nil, is called behind each measurement.
func (p Pair) Measure(ctx context.Context, done func()) (Row, error) {
	row := Row{Target: p.Target, Question: p.Question, Limit: p.Limit}
	if p.Answer != Ratio {
		row.Unit = p.Unit
	}
	var a, b Sample
	for range max(p.Rounds, 1) {
		valueA, err := p.A.take(ctx, &row, done)
		if err != nil {
			return row, err
		}
		a = append(a, valueA)
		valueB := 0.0
		if p.B.Measure != nil {
			if valueB, err = p.B.take(ctx, &row, done); err != nil {
				return row, err
			}
			b = append(b, valueB)
		}
		row.Answer = append(row.Answer, p.Answer.of(valueA, valueB))
	}
	row.A = p.A.Name + ": " + figure(a.Median(), p.Unit)
	if b != nil {
		row.B = p.B.Name + ": " + figure(b.Median(), p.Unit)
	}
	return row, nil
}

// Measurements is how often done is called.
func (p Pair) Measurements() int {
	if p.B.Measure == nil {
		return max(p.Rounds, 1)
	}
	return 2 * max(p.Rounds, 1)
}

// take measures a side once and keeps the first fault.
func (s Side) take(ctx context.Context, row *Row, done func()) (float64, error) {
	reading, err := s.Measure(ctx)
	if err != nil {
		return 0, fmt.Errorf("measure %s, %s: %w", row.Question, s.Name, err)
	}
	if row.Fault == "" && reading.Fault != "" {
		row.Fault = s.Name + ": " + reading.Fault
	}
	if done != nil {
		done()
	}
	return reading.Value, nil
}
