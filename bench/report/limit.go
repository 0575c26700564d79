package report

import (
	"fmt"
	"math"
	"strconv"
)

// Limit is what an answer has to reach. The zero Limit is none.
type Limit struct {
	sign  string
	value float64
}

// AtLeast is reached by answers of v or more.
func AtLeast(v float64) Limit { return Limit{"≥", v} }

// AtMost is reached by answers of v or less.
func AtMost(v float64) Limit { return Limit{"≤", v} }

// Below is reached by answers of less than v.
func Below(v float64) Limit { return Limit{"<", v} }

func (l Limit) String() string {
	if l.sign == "" {
		return ""
	}
	return l.sign + " " + strconv.FormatFloat(l.value, 'g', -1, 64)
}

// reached reports whether v is what the limit asks for; NaN never is.
func (l Limit) reached(v float64) bool {
	switch l.sign {
	case "≥":
		return v >= l.value
	case "≤":
		return v <= l.value
	case "<":
		return v < l.value
	}
	return !math.IsNaN(v)
}

// Verdicts.
const (
	met    = "met"
	missed = "missed"
)

// Verdict is met or missed, or "" for a row without limit or fault.
func (r Row) Verdict() string {
	switch {
	case r.Fault != "":
		return missed
	case r.Limit == Limit{}:
		return ""
	case r.Limit.reached(r.Answer.Median()):
		return met
	}
	return missed
}

// String shows a row as one line.
func (r Row) String() string {
	text := r.Target + " " + r.Question + ": " + r.A
	if r.B != "" {
		text += ", " + r.B
	}
	text += ": " + r.answer()
	if verdict := r.Verdict(); verdict != "" {
		text += fmt.Sprintf(", target %s: %s", r.Limit, verdict)
	}
	if r.Fault != "" {
		text += " (" + r.Fault + ")"
	}
	return text
}

// answer shows the median and, of several rounds, from where to where they
// spread.
func (r Row) answer() string {
	text := figure(r.Answer.Median(), r.Unit)
	if len(r.Answer) > 1 {
		text += fmt.Sprintf(" (%s–%s)", figure(r.Answer.Quantile(0), ""), figure(r.Answer.Quantile(1), ""))
	}
	return text
}

// figure shows a value with three digits, or all before the point.
func figure(v float64, unit string) string {
	text := "none"
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return text
	case math.Abs(v) >= 100:
		text = thousands(int64(math.Round(v)))
	default:
		text = strconv.FormatFloat(v, 'g', 3, 64)
	}
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// Count shows n as 1,234,567.
func Count(n int) string { return thousands(int64(n)) }

func thousands(n int64) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
