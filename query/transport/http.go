package transport

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// HTTP is GraphQL over HTTP: queries by GET, all operations by POST with a
// JSON body. An operation that was executed is answered with 200, whatever its
// errors.
type HTTP struct{}

var _ graphql.Transport = HTTP{}

// Supports takes what no other transport does.
func (HTTP) Supports(r *http.Request) bool { return r.Header.Get("Upgrade") == "" }

// Do answers a request.
func (t HTTP) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	w.Header().Add("Vary", "Accept")
	mediaType, ok := negotiate(r.Header.Values("Accept"))
	if !ok {
		Refuse(w, r, http.StatusNotAcceptable, CodeBadRequest, "no media type in Accept can be had: accept "+typeGraphQL+" or "+typeJSON)
		return
	}
	params, wrong := t.read(w, r)
	if wrong != nil {
		Refuse(w, r, wrong.status, CodeBadRequest, wrong.message)
		return
	}
	operation, errs := exec.CreateOperationContext(r.Context(), params)
	if errs != nil {
		// The legacy type says nothing by its status.
		status := http.StatusOK
		if mediaType == typeGraphQL {
			status = http.StatusBadRequest
		}
		respond(w, mediaType, status, exec.DispatchError(graphql.WithOperationContext(r.Context(), operation), errs))
		return
	}
	switch kind := operation.Operation.Operation; {
	case kind == ast.Subscription:
		Refuse(w, r, http.StatusBadRequest, CodeBadRequest, "a subscription has many answers: subscribe by WebSocket or server-sent events")
	case kind == ast.Mutation && r.Method == http.MethodGet:
		w.Header().Set("Allow", http.MethodPost)
		Refuse(w, r, http.StatusMethodNotAllowed, CodeBadRequest, "a mutation changes things: send it by POST")
	default:
		responses, ctx := exec.DispatchOperation(r.Context(), operation)
		respond(w, mediaType, http.StatusOK, responses(ctx))
	}
}

func (HTTP) read(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, *problem) {
	switch r.Method {
	case http.MethodPost:
		return readPost(r)
	case http.MethodGet:
		return readGet(r)
	}
	w.Header().Set("Allow", "GET, POST")
	return nil, &problem{http.StatusMethodNotAllowed, "the method is not one of GraphQL over HTTP: use GET or POST"}
}

// respond writes a response. Its data is JSON already and not looked at again.
func respond(w http.ResponseWriter, mediaType string, status int, resp *graphql.Response) {
	body, err := encode(resp)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"errors":[{"message":"internal error"}]}`)
	}
	noStore(w)
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	w.WriteHeader(status)
	w.Write(body)
}

// noStore keeps answers out of caches: they are true for a moment.
func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }
