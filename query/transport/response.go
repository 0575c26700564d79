package transport

import (
	"encoding/json"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"visualizer/graph"
)

// CodeBadRequest is the code of a request that no operation comes of.
const CodeBadRequest = "BAD_USER_INPUT"

// encode returns a response as JSON: errors first, and no data when nothing was
// executed.
func encode(resp *graphql.Response) ([]byte, error) {
	if resp == nil { // the client has gone
		return []byte(`{"data":null}`), nil
	}
	rest := struct {
		Errors     gqlerror.List  `json:"errors,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty"`
	}{resp.Errors, resp.Extensions}
	if resp.Data == nil {
		return json.Marshal(rest)
	}
	body := make([]byte, 0, len(resp.Data)+len(`{"data":}`))
	body = append(body, `{"data":`...)
	if len(rest.Errors) > 0 || len(rest.Extensions) > 0 {
		head, err := json.Marshal(rest)
		if err != nil {
			return nil, err
		}
		body = append(head[:len(head)-1], `,"data":`...)
	}
	body = append(body, resp.Data...)
	return append(body, '}'), nil
}

// Refuse answers a request that no operation came of, in the form of a GraphQL
// error.
func Refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	extensions := map[string]any{"code": code}
	if id := graph.RequestID(r.Context()); id != "" {
		extensions["requestId"] = id
	}
	body, err := json.Marshal(map[string]any{"errors": gqlerror.List{{Message: message, Extensions: extensions}}})
	if err != nil {
		status = http.StatusInternalServerError
	}
	noStore(w)
	w.Header().Set("Content-Type", typeJSON+"; charset=utf-8")
	w.WriteHeader(status)
	w.Write(body)
}
