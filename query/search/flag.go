package search

import "visualizer/schema"

// flag is what a tweet has or has not.
type flag struct {
	name  string // as in the API
	field string // of the index
	value string // that stands there when the tweet has it
	has   func(*schema.Tweet) bool
}

var (
	locationFlag = flag{"hasLocation", schema.FieldHasGeo, "1", func(t *schema.Tweet) bool { return t.Location != nil }}
	mediaFlag    = flag{"hasMedia", schema.FieldIs, schema.IsMedia, (*schema.Tweet).HasMedia}
	linksFlag    = flag{"hasLinks", schema.FieldIs, schema.IsLinks, (*schema.Tweet).HasLinks}
)

// flags returns the conditions on what tweets have; such a condition may be
// that they have it not.
func (f *Filter) flags() []condition {
	var given []condition
	for _, w := range []struct {
		flag
		want *bool
	}{{locationFlag, f.HasLocation}, {mediaFlag, f.HasMedia}, {linksFlag, f.HasLinks}} {
		if w.want != nil {
			given = append(given, w.condition(*w.want))
		}
	}
	return given
}

func (g flag) condition(want bool) condition {
	return condition{flag: true, name: g.name, field: g.field, values: []string{g.value}, lacks: !want, has: func(t *schema.Tweet) []string {
		if g.has(t) {
			return []string{g.value}
		}
		return nil
	}}
}
