package sim

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"visualizer/ingest/source"
	"visualizer/schema"
)

// The package that reads streams must make of each line exactly what the world
// says it is: tweets to the last field, notices, and for garbage the reason.
func TestSourceReadsWhatTheWorldTells(t *testing.T) {
	for _, garbage := range []float64{0, 0.2} {
		o := small()
		o.Garbage, o.Edit, o.Long = garbage, 0.02, 0.05
		n := 10_000
		if garbage > 0 {
			n = 2000
		}
		all, _, told := watch(o, n)
		stream := strings.Join(all, lineEnd) + lineEnd + lineEnd // and a keep-alive
		kinds := map[schema.Kind]int{}
		for got, err := range source.NewReader("sim", strings.NewReader(stream)).Events(t.Context()) {
			if kinds[got.Kind]++; got.Kind == schema.KindBlank {
				continue
			}
			i := slices.IndexFunc(told, func(e Emission) bool { return e.tells(got, err) })
			if i < 0 || i > 1 { // what stands beside a tweet is read before it
				t.Fatalf("garbage %v: read %s, %v\nbut the world told %s", garbage, shown(got), err, shown(told[0]))
			}
			told = slices.Delete(told, i, i+1)
		}
		if len(told) > 0 {
			t.Errorf("garbage %v: %d things were not read, the first is %s", garbage, len(told), shown(told[0]))
		}
		if kinds[schema.KindBlank] != 1 || kinds[schema.KindTweet] < n || kinds[schema.KindReferenced] < n/5 || kinds[schema.KindDelete] < n/200 {
			t.Errorf("garbage %v: kinds %v", garbage, kinds)
		}
	}
}

// tells reports whether e is what a reader said.
func (e *Emission) tells(got schema.Event, err error) bool {
	if err != nil {
		rejected, ok := errors.AsType[*source.Rejected](err)
		return ok && e.Kind == schema.KindControl && e.Reason == rejected.Reason
	}
	switch {
	case e.Kind != got.Kind:
		return false
	case e.Kind == schema.KindDelete:
		return slices.Contains(e.Deleted, string(got.Notice.TweetID))
	}
	return reflect.DeepEqual(e.Tweet, got.Tweet)
}

func shown(v any) string {
	b, err := schema.Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
