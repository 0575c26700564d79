package transport

import (
	"mime"
	"strconv"
	"strings"
)

// Media types of answers. What GraphQL over HTTP calls the legacy type is what
// a client gets that doesn't say.
const (
	typeJSON    = "application/json"
	typeGraphQL = "application/graphql-response+json"
)

// negotiate returns the media type for an answer by the values of Accept, and
// false when none will do. Of two that are wanted as much, it is the one named
// first.
func negotiate(accept []string) (string, bool) {
	ranges := strings.Join(accept, ",")
	if strings.TrimSpace(ranges) == "" {
		return typeJSON, true
	}
	json, graphql := wish{}, wish{}
	for i, part := range strings.Split(ranges, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := quality(params["q"])
		json.take(name, typeJSON, q, i)
		graphql.take(name, typeGraphQL, q, i)
	}
	switch {
	case json.q == 0 && graphql.q == 0:
		return "", false
	case graphql.q > json.q, graphql.q == json.q && graphql.place < json.place:
		return typeGraphQL, true
	}
	return typeJSON, true
}

// wish is how much a media type is wanted, by the range that fits it best.
type wish struct {
	fit   int
	q     float64
	place int
}

func (w *wish) take(name, mediaType string, q float64, place int) {
	fit := 0
	switch name {
	case mediaType:
		fit = 3
	case "application/*":
		fit = 2
	case "*/*":
		fit = 1
	}
	if fit > w.fit {
		*w = wish{fit, q, place}
	}
}

// quality reads a weight; what is none counts as 1.
func quality(s string) float64 {
	q, err := strconv.ParseFloat(s, 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 1
	}
	return q
}
