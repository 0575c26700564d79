package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"visualizer/graph"
	"visualizer/query/feed"
	"visualizer/query/transport"
)

// following answers subscriptions to new tweets. Those that ask the same of a
// tweet have it answered once.
type following struct {
	present graphql.ErrorPresenterFunc

	mu     sync.Mutex
	asking map[string]int // subscriptions by question
}

func newFollowing(cfg Config) *following {
	return &following{present: graph.PresentError(cfg.Log), asking: map[string]int{}}
}

// around lets an operation that follows tweets be answered once for each.
func (o *following) around(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx)
	if operation.Operation.Operation != ast.Subscription {
		return next(ctx)
	}
	ctx, f := graph.WithFollowing(ctx)
	responses := next(ctx)
	if !f.Started() {
		return responses // which tell why
	}
	question := questionOf(operation)
	o.join(question, 1)
	context.AfterFunc(ctx, func() { o.join(question, -1) })
	return func(ctx context.Context) *graphql.Response {
		it, err := f.Next(ctx)
		if err != nil {
			o.end(ctx, err)
			return nil
		}
		answer := func() *graphql.Response { return f.Answer(ctx, it, responses) }
		if !o.shared(question) {
			return answer()
		}
		return answerOnce(it, question, answer)
	}
}

// answerOnce answers with what another was answered. An answer with errors is
// the client's own: it may be of its time, and has its request's id.
func answerOnce(it *feed.Item, question string, answer func() *graphql.Response) *graphql.Response {
	var own *graphql.Response
	text := it.Once(question, func() []byte {
		if own = answer(); own == nil || len(own.Errors) > 0 {
			return nil
		}
		return slices.Clone(own.Data) // it is overwritten by the next
	})
	switch {
	case own != nil:
		return own
	case text == nil:
		return nil
	}
	return &graphql.Response{Data: text}
}

// questionOf is equal for two operations that show the same of a tweet.
func questionOf(operation *graphql.OperationContext) string {
	text, err := json.Marshal([]any{operation.RawQuery, operation.OperationName, operation.Variables})
	if err != nil {
		return "" // can't be: it came as JSON
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

func (o *following) join(question string, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.asking[question] += n; o.asking[question] == 0 {
		delete(o.asking, question)
	}
}

// shared reports whether several ask a question. The answer to one is not kept.
func (o *following) shared(question string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return question != "" && o.asking[question] > 1
}

// end tells why a subscription has ended, unless it is by the client's wish.
func (o *following) end(ctx context.Context, err error) {
	if errors.Is(err, feed.ErrGap) || errors.Is(err, feed.ErrSlow) {
		transport.EndWith(ctx, o.present(ctx, err))
	}
}
