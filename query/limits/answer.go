package limits

import (
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

type sizeKey struct{}

// valueSize is what a value that isn't a string takes in an answer, roughly.
const valueSize = 16

// InterceptResponse bounds what goes back.
func (l *Limits) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	resp := next(context.WithValue(ctx, sizeKey{}, new(atomic.Int64)))
	if resp == nil {
		return nil
	}
	if len(resp.Data) > MaxAnswer {
		resp.Data = nil
		resp.Errors = gqlerror.List{tooLarge()}
	}
	// Beyond the first few, errors say the same: the field after the deadline,
	// the argument that is wrong in each alias.
	resp.Errors = resp.Errors[:min(len(resp.Errors), maxErrors)]
	return resp
}

// InterceptField ends an operation whose time is up or whose answer has grown
// too large: what is left of it fails without work.
func (l *Limits) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	value, err := next(ctx)
	size, ok := ctx.Value(sizeKey{}).(*atomic.Int64)
	if ok && size.Add(sizeOf(value)) > MaxAnswer {
		return nil, tooLarge()
	}
	return value, err
}

func tooLarge() *gqlerror.Error {
	return refusef(nil, "the answer is larger than %d MiB: ask for smaller pages or fewer fields", MaxAnswer>>20)
}

// sizeOf returns about how many bytes a value itself takes; those of objects
// are counted field by field.
func sizeOf(value any) int64 {
	switch v := value.(type) {
	case string:
		return int64(len(v))
	case *string:
		if v != nil {
			return int64(len(*v))
		}
	case []string:
		n := valueSize
		for _, s := range v {
			n += len(s)
		}
		return int64(n)
	case interface{ Len() int }: // with all that is in it
		return int64(v.Len())
	}
	return valueSize
}
