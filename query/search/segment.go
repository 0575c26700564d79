package search

import (
	"strconv"

	"visualizer/schema"
)

// segment is the part of a list whose tweets have the order's value, or the
// part behind it whose tweets don't and which is ordered by id alone.
type segment struct {
	order Order
	nulls bool
}

// field returns the index field of the segment's sort key.
func (s segment) field() string {
	if s.nulls {
		return schema.FieldSeq
	}
	return s.order.field()
}

// keyFields returns the index fields in which windows are cut, most significant
// first.
func (s segment) keyFields() []string {
	if s.tied() {
		return []string{schema.FieldName, schema.FieldNameSecond}
	}
	return []string{s.field()}
}

// place returns the sort keys of a position in the segment.
func (s segment) place(p position) place {
	if s.nulls {
		seq, _ := schema.SplitNumber(p.id)
		return place{int64(seq)}
	}
	return p.place
}

// only returns a position that lies in the segment, else nil.
func (s segment) only(p *position) *position {
	if p == nil || (p.value == nil) != s.nulls {
		return nil
	}
	return p
}

// sortBy returns the index fields that order the segment, most significant
// first. Where a tweet's keys hold its whole value, there is no rest, nor is
// there for any other tweet with these keys.
func (s segment) sortBy() []string {
	if s.nulls {
		return []string{schema.FieldSeq, schema.FieldLo}
	}
	by := s.keyFields()
	if s.tied() {
		by = append(by, schema.FieldUsernameRest)
	}
	return append(by, schema.FieldSeq, schema.FieldLo)
}

// term is a field of the index and a position's value there.
type term struct{ field, literal string }

// tied reports whether tweets may have more in common than one key tells apart.
func (s segment) tied() bool { return !s.nulls && s.order.Field == OrderUsername }

// grain is the least number of tweets by which windows differ: those of a busy
// second are one clump, with nothing up to the next one.
func (s segment) grain() int {
	if !s.nulls && s.order.Field == OrderCreatedAt {
		return schema.SampleRate
	}
	return 1
}

// terms returns a position's values of the fields that order the segment.
func (s segment) terms(p position) []term {
	var out []term
	if !s.nulls {
		for i, field := range s.keyFields() {
			out = append(out, term{field, keyText(field, p.place[i])})
		}
	}
	if !s.nulls && p.rest != "" {
		out = append(out, term{schema.FieldUsernameRest, strconv.Quote(p.rest)})
	}
	seq, lo := schema.SplitNumber(p.id)
	return append(out, term{schema.FieldSeq, strconv.FormatUint(seq, 10)}, term{schema.FieldLo, strconv.FormatUint(lo, 10)})
}

// narrow returns the branches of which a query for the segment adds one to a
// filter: the keys in a stretch, and no tweets of the other segment.
func (s segment) narrow(st stretch) []branch {
	other := branch{clauses: []clause{{text: "@" + schema.FieldNulls + ":{" + s.order.field() + "}", negate: !s.nulls}}}
	if st.open() {
		return []branch{other}
	}
	boxes := s.boxes(st)
	for i := range boxes {
		if s.nulls {
			boxes[i].clauses = other.clauses
		}
	}
	return boxes
}
