package report_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"visualizer/bench/report"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		sample report.Sample
		q      float64
		want   float64
	}{
		{report.Sample{7}, 0.99, 7},
		{report.Sample{3, 1, 2}, 0.5, 2},
		{report.Sample{4, 1, 3, 2}, 0.5, 2.5},
		{report.Sample{4, 1, 3, 2}, 0, 1},
		{report.Sample{4, 1, 3, 2}, 1, 4},
		{report.Sample{0, 10}, 0.75, 7.5},
	} {
		if got := c.sample.Quantile(c.q); got != c.want {
			t.Errorf("%v at %v: %v, want %v", c.sample, c.q, got, c.want)
		}
	}
}

// side gives the values one after the other and notes each in order.
func side(name string, order *[]string, values ...float64) report.Side {
	return report.Side{Name: name, Measure: func(context.Context) (report.Reading, error) {
		*order = append(*order, name)
		v := values[0]
		values = values[1:]
		return report.Reading{Value: v}, nil
	}}
}

// TestPair: both sides in turn, and the answer of each round from its own two.
func TestPair(t *testing.T) {
	a := []float64{10, 100, 20, 20}
	for _, c := range []struct {
		answer report.Answer
		b      []float64
		limit  report.Limit
		order  string
		line   string
	}{
		// The rounds give 1, 10, 2 and 5.
		{report.Ratio, []float64{10, 10, 10, 4}, report.AtLeast(3.5), "abababab", "a: 20 ms, b: 10 ms: 3.5 (1–10), target ≥ 3.5: met"},
		{report.Ratio, []float64{10, 10, 10, 4}, report.AtLeast(3.6), "abababab", "a: 20 ms, b: 10 ms: 3.5 (1–10), target ≥ 3.6: missed"},
		{report.Ratio, []float64{10, 10, 10, 4}, report.AtMost(3.4), "abababab", "a: 20 ms, b: 10 ms: 3.5 (1–10), target ≤ 3.4: missed"},
		{report.Ratio, []float64{10, 10, 10, 4}, report.Below(3.5), "abababab", "a: 20 ms, b: 10 ms: 3.5 (1–10), target < 3.5: missed"},
		{report.Ratio, []float64{10, 10, 10, 4}, report.Limit{}, "abababab", "a: 20 ms, b: 10 ms: 3.5 (1–10)"},
		// 0, 90, 19 and 1.
		{report.Difference, []float64{10, 10, 1, 19}, report.AtMost(10), "abababab", "a: 20 ms, b: 10 ms: 10 ms (0–90), target ≤ 10: met"},
		{report.Alone, nil, report.AtMost(20), "aaaa", "a: 20 ms: 20 ms (10–100), target ≤ 20: met"},
	} {
		var order []string
		p := report.Pair{Target: "B9", Question: "how", Unit: "ms", Answer: c.answer, Limit: c.limit, Rounds: len(a), A: side("a", &order, a...)}
		if c.b != nil {
			p.B = side("b", &order, c.b...)
		}
		done := 0
		row, err := p.Measure(t.Context(), func() { done++ })
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(order, ""); got != c.order || done != len(got) || p.Measurements() != len(got) {
			t.Errorf("measured %s, told %d of %d; want %s", got, done, p.Measurements(), c.order)
		}
		if got, want := row.String(), "B9 how: "+c.line; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestFault: what a fault says counts for nothing, however good it looks.
func TestFault(t *testing.T) {
	bad := func(fault string) report.Side {
		return report.Side{Name: "a", Measure: func(context.Context) (report.Reading, error) {
			return report.Reading{Value: 100, Fault: fault}, nil
		}}
	}
	for _, limit := range []report.Limit{report.AtLeast(1), {}} {
		row, err := report.Pair{A: bad("only 3 of 4 were right"), Answer: report.Alone, Limit: limit}.Measure(t.Context(), nil)
		if err != nil || row.Verdict() != "missed" || !strings.Contains(row.String(), "only 3 of 4 were right") {
			t.Errorf("%v, err %v; want missed and the fault", row, err)
		}
	}
	broken := errors.New("no route")
	p := report.Pair{Question: "how far", A: report.Side{Name: "x", Measure: func(context.Context) (report.Reading, error) { return report.Reading{}, broken }}}
	if _, err := p.Measure(t.Context(), nil); !errors.Is(err, broken) || !strings.Contains(err.Error(), "how far, x") {
		t.Errorf("err %v; want %v with what was measured", err, broken)
	}
}

// TestNothing: of no values there is no answer, and no target is reached.
func TestNothing(t *testing.T) {
	for _, limit := range []report.Limit{report.AtLeast(0), report.AtMost(9), report.Below(9)} {
		row := report.Row{Limit: limit, Answer: report.Sample{report.Sample{}.Median()}}
		if row.Verdict() != "missed" || !strings.Contains(row.String(), "none") {
			t.Errorf("%v; want none: missed", row)
		}
	}
}

// TestSection replaces one section and nothing else.
func TestSection(t *testing.T) {
	section := func(command string, answer float64) report.Section {
		return report.Section{Command: command, Where: "here", Notes: []string{"a note"}, Rows: []report.Row{
			{Target: "B1", Question: "a|b", A: "x: 1", Answer: report.Sample{answer}, Limit: report.AtLeast(2)},
		}}
	}
	path := filepath.Join(t.TempDir(), "RESULTS.md")
	if err := os.WriteFile(path, []byte("# Results\n\nWords.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []report.Section{section("a --quick", 3), section("a", 1), section("b", 5), section("a", 2), section("b", 1)} {
		if err := s.WriteInto(path); err != nil {
			t.Fatal(err)
		}
	}
	table := "| | question | A | B | answer (spread) | target | |\n| --- | --- | --- | --- | --- | --- | --- |\n"
	want := "# Results\n\nWords.\n\n" +
		"## a --quick\n\nhere\n\n- a note\n\n" + table + "| B1 | a\\|b | x: 1 |  | 3 | ≥ 2 | met |\n\n" +
		"## a\n\nhere\n\n- a note\n\n" + table + "| B1 | a\\|b | x: 1 |  | 2 | ≥ 2 | met |\n\n" +
		"## b\n\nhere\n\n- a note\n\n" + table + "| B1 | a\\|b | x: 1 |  | 1 | ≥ 2 | missed |\n"
	got, err := os.ReadFile(path)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("err %v, (-want +got):\n%s", err, diff)
	}
	if n := section("b", 1).Missed(); n != 1 {
		t.Errorf("%d missed, want 1", n)
	}
}
