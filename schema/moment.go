package schema

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Moment is the sort key of CREATED_AT: createdAt in thousandths of a
// millisecond. X delivers createdAt cut to the second, so that a busy second
// is one clump of equal values; the three extra digits hold how far into that
// second the id was made, which keeps the order (createdAt, id) and gives a
// window over the key something to cut.
//
// It is indexed in milliseconds with up to three decimals. Such a number below
// 2^53 thousandths is parsed alike by RedisJSON, RediSearch and here: its
// digits fit a double, and the one division rounds correctly.
type Moment int64

const (
	perMilli = 1000
	// maxExact is the largest createdAt in ms whose thousandths fit 2^53
	// (year 2255). Beyond it, and before 1970, the key has no extra digits.
	maxExact = 1<<53/perMilli - 1
)

// NewMoment returns the key of a tweet, or nil when createdAt is unknown.
func NewMoment(createdAt *Time, id string) *Moment {
	if createdAt == nil {
		return nil
	}
	m := Moment(*createdAt) * perMilli
	if made, ok := SnowflakeTime(id); ok && *createdAt >= 0 && *createdAt < maxExact {
		m += Moment(min(max(made-*createdAt, 0), perMilli-1))
	}
	return &m
}

// String shows m in milliseconds, as it stands in the document and in a query.
func (m Moment) String() string {
	ms, rest := int64(m)/perMilli, int64(m)%perMilli
	s := strconv.FormatInt(ms, 10)
	if rest == 0 {
		return s
	}
	return s + "." + strconv.FormatInt(perMilli+rest, 10)[1:]
}

// MarshalJSONTo writes m as a JSON number.
func (m Moment) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(m.String()))
}

// UnmarshalJSONFrom reads what MarshalJSONTo wrote.
func (m *Moment) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return err
	}
	*m = MomentOf(f)
	return nil
}

// MomentOf returns the Moment whose String parses as ms.
func MomentOf(ms float64) Moment {
	whole := Moment(ms)
	return whole*perMilli + Moment((ms-float64(whole))*perMilli+0.5)
}

// MomentAt returns the smallest key that a tweet created at t can have.
func MomentAt(t Time) Moment { return Moment(t) * perMilli }
