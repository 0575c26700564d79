package transport

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// problem is why a request is no operation, in words for the client.
type problem struct {
	status  int
	message string
}

func malformed(message string) *problem { return &problem{http.StatusBadRequest, message} }

// readPost reads the parameters of an operation from a body.
func readPost(r *http.Request) (*graphql.RawParams, *problem) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || kind != typeJSON || charset != "" && charset != "utf-8" && charset != "utf8" {
		return nil, &problem{http.StatusUnsupportedMediaType, "the Content-Type is not application/json in UTF-8: send the operation as a JSON object"}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, &problem{http.StatusUnsupportedMediaType, "the body has a Content-Encoding: send it as it is"}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, malformed("the body could not be read: send it again")
	}
	if !utf8.Valid(body) {
		return nil, malformed("the body is not UTF-8: send JSON in UTF-8")
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return nil, malformed("the body is a list: send one operation a request")
	}
	out, wrong := readMembers(body)
	if wrong != nil {
		return nil, wrong
	}
	out.Headers = r.Header
	return withQuery(out)
}

// readPayload reads the parameters of an operation from a message.
func readPayload(text []byte) (*graphql.RawParams, bool) {
	params, wrong := readMembers(text)
	if wrong == nil {
		params, wrong = withQuery(params)
	}
	return params, wrong == nil
}

// readMembers reads parameters from a JSON object.
func readMembers(text []byte) (*graphql.RawParams, *problem) {
	var members struct {
		Query         jsontext.Value `json:"query"`
		OperationName jsontext.Value `json:"operationName"`
		Variables     jsontext.Value `json:"variables"`
		Extensions    jsontext.Value `json:"extensions"`
	}
	if !decode(text, &members) {
		return nil, malformed("the body is not a JSON object: send one with the member query")
	}
	out := &graphql.RawParams{}
	switch {
	case !decode(members.Query, &out.Query):
		return nil, malformed("query is not a string: send the document as one")
	case !decode(members.OperationName, &out.OperationName):
		return nil, malformed("operationName is not a string: send one, or leave it out")
	case !decode(members.Variables, &out.Variables):
		return nil, malformed("variables is not an object: send one, or leave it out")
	case !decode(members.Extensions, &out.Extensions):
		return nil, malformed("extensions is not an object: send one, or leave it out")
	}
	return out, nil
}

// readGet reads the parameters of an operation from the URL.
func readGet(r *http.Request) (*graphql.RawParams, *problem) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, malformed("the URL's query is not well encoded: encode it as application/x-www-form-urlencoded")
	}
	out := &graphql.RawParams{Headers: r.Header, Query: values.Get("query"), OperationName: values.Get("operationName")}
	switch {
	case !decode([]byte(values.Get("variables")), &out.Variables):
		return nil, malformed("variables is not a JSON object: send one, or leave it out")
	case !decode([]byte(values.Get("extensions")), &out.Extensions):
		return nil, malformed("extensions is not a JSON object: send one, or leave it out")
	}
	return withQuery(out)
}

func withQuery(params *graphql.RawParams) (*graphql.RawParams, *problem) {
	if strings.TrimSpace(params.Query) == "" {
		return nil, malformed("query is missing: send a GraphQL document")
	}
	return params, nil
}

// decode reads a JSON value that may be missing, with numbers as they stand.
func decode(text []byte, into any) bool {
	return len(text) == 0 || json.Unmarshal(text, into, asTheyStand, lenient) == nil
}

// lenient takes what JSON has an escape for and Unicode has not, half a surrogate
// pair, and of two members of one name the last, as JavaScript does.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// asTheyStand keeps numbers of no known type as text: a Long is not to be
// rounded on the way.
var asTheyStand = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, into *any) error {
	if d.PeekKind() != jsontext.KindNumber {
		return errors.ErrUnsupported
	}
	value, err := d.ReadValue()
	*into = stdjson.Number(value)
	return err
}))
