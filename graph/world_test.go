package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"visualizer/query/search"
	"visualizer/schema"
)

// world is a page and the tweets that can be referred to.
type world struct {
	page *search.Page
	read map[string]*schema.Tweet
}

// newWorld returns a page of tweets of which each field is missing, usual or
// extreme.
func newWorld(r *rand.Rand) world {
	w := world{page: &search.Page{Total: r.IntN(math.MaxInt32), HasNext: r.IntN(2) == 0, HasPrevious: r.IntN(2) == 0}, read: map[string]*schema.Tweet{}}
	for i := range knownIDs {
		w.read[fmt.Sprint(i)] = nil
		if r.IntN(3) > 0 {
			w.read[fmt.Sprint(i)] = newTweet(r)
		}
	}
	for range r.IntN(4) {
		w.page.Tweets = append(w.page.Tweets, newTweet(r))
	}
	return w
}

// knownIDs is how many ids tweets refer to.
const knownIDs = 5

func newTweet(r *rand.Rand) *schema.Tweet {
	t := &schema.Tweet{}
	fill(r, reflect.ValueOf(t).Elem())
	if t.CreatedAt != nil { // a cursor holds no other
		*t.CreatedAt = max(0, *t.CreatedAt)
	}
	for i := range t.References {
		t.References[i].ID = fmt.Sprint(r.IntN(knownIDs))
	}
	return t
}

// fill gives a value and what is in it random contents.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		if n := r.IntN(5) - 1; n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(r, v.Index(i))
			}
		}
	case reflect.String:
		v.SetString(hostile[r.IntN(len(hostile))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat(floats[r.IntN(len(floats))])
	case reflect.Int64:
		v.SetInt(whole(r, v.Type() == reflect.TypeFor[schema.Time]()))
	default:
		panic(v.Kind())
	}
}

// hostile are strings that JSON must escape, and some that it need not.
var hostile = []string{
	"", "1", "9223372036854775807", "plain", `quote " and \ and /`, "\x00\x01\b\t\n\f\r\x1f\x7f", "</script>&'", "\u2028\u2029",
	"日本語 café ñ", "😀🇧🇷", "\ufffd\ufeff", `\u0041`, "RT @a: https://t.co/x #go",
}

var floats = []float64{0, math.Copysign(0, -1), 85.05112878, -180, 1e6, 1e21, 1e-7, 0.1, 123456.789, math.MaxFloat64, math.SmallestNonzeroFloat64}

func whole(r *rand.Rand, moment bool) int64 {
	if moment {
		some := []int64{int64(schema.MinTime), int64(schema.MaxTime), 0, -1, 999, 1_000, 1_700_000_000_001}
		return some[r.IntN(len(some))]
	}
	some := []int64{math.MinInt64, math.MaxInt64, 0, -1, 7, 1 << 31, 1<<53 + 1}
	return some[r.IntN(len(some))]
}
