package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ticker is a schema with subscriptions that say something n times, that wait
// for ever, that speak at full speed, that fail after a word, that panic, and
// that speak although nobody listens any more.
type ticker struct {
	schema *ast.Schema
	deaf   chan struct{} // says that deaf has begun, then takes when it may speak
}

func newTicker() ticker {
	return ticker{deaf: make(chan struct{}), schema: gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query { ok: Boolean! }
		type Mutation { ok: Boolean! }
		type Subscription { tick(n: Int!): Int! silence: Int! flood: String! gap: Int! panic: Int! deaf: Int! }`})}
}

func (t ticker) Schema() *ast.Schema { return t.schema }

func (ticker) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}

func (t ticker) Exec(ctx context.Context) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx)
	field := operation.Operation.SelectionSet[0].(*ast.Field)
	data := func(format string, args ...any) *graphql.Response {
		return &graphql.Response{Data: fmt.Appendf(nil, `{"`+field.Name+`":`+format+`}`, args...)}
	}
	if operation.Operation.Operation != ast.Subscription {
		return graphql.OneShot(data("true"))
	}
	n, said := 1, 0
	if v, ok := field.ArgumentMap(operation.Variables)["n"].(int64); ok {
		n = int(v)
	}
	return func(context.Context) *graphql.Response {
		said++
		switch {
		case field.Name == "deaf" && said == 1:
			t.deaf <- struct{}{}
			<-t.deaf
			return data("%d", said)
		case ctx.Err() != nil:
			return nil
		case field.Name == "panic":
			panic("on purpose")
		case field.Name == "silence":
			<-ctx.Done()
			return nil
		case field.Name == "flood":
			return data(`"%s"`, strings.Repeat("x", 1<<16))
		case said > n:
			if field.Name == "gap" {
				EndWith(ctx, &gqlerror.Error{Message: "too slow", Extensions: map[string]any{"code": "FEED_GAP"}})
			}
			return nil
		}
		return data("%d", said)
	}
}

// shortLimits make tests short.
func shortLimits() LiveLimits {
	return LiveLimits{
		Connections: 3, Operations: 2, Message: 1 << 10,
		Init: 300 * time.Millisecond, Ping: 100 * time.Millisecond, Pong: 300 * time.Millisecond, Write: 300 * time.Millisecond, KeepAlive: 50 * time.Millisecond,
		Slots: NewSlots(8),
		Admit: func(ctx context.Context, _ *http.Request, payload map[string]any) (context.Context, error) {
			if payload["Authorization"] == "wrong" {
				return nil, errors.New("wrong token")
			}
			return ctx, nil
		},
	}
}

// serveTicker serves a ticker by all transports.
func serveTicker(t *testing.T, limits LiveLimits) (*Live, *httptest.Server) {
	t.Helper()
	return serve(t, newTicker(), limits)
}

func serve(t *testing.T, served ticker, limits LiveLimits) (*Live, *httptest.Server) {
	t.Helper()
	live := NewLive(limits)
	h := handler.New(served)
	h.AddTransport(Socket{live})
	h.AddTransport(Stream{live})
	h.AddTransport(HTTP{})
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		live.Close()
		srv.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return live, srv
}

// await waits until ok, and fails after longer than anything here may take.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: not so in 20 s", what)
		case <-tick.C:
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
