package graph

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"visualizer/query/search"
)

// Plans are what was done for the pages of an operation, for a developer to
// see.
type Plans struct {
	mu    sync.Mutex
	pages []PagePlan
}

// PagePlan is the plan of one page.
type PagePlan struct {
	// Field leads to the page in the response.
	Field string `json:"field"`
	// Steps are the commands that were sent to Redis for the page, be it for an
	// earlier request whose page was kept.
	Steps []search.Step `json:"steps"`
}

type plansKey struct{}

// WithPlans returns a context whose pages note their plans.
func WithPlans(ctx context.Context) (context.Context, *Plans) {
	p := &Plans{}
	return context.WithValue(ctx, plansKey{}, p), p
}

// Pages returns the plans in the order in which the pages were answered.
func (p *Plans) Pages() []PagePlan {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pages
}

// notePlan adds a page's plan, if the context asks for it.
func notePlan(ctx context.Context, page *search.Page) {
	p, _ := ctx.Value(plansKey{}).(*Plans)
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages = append(p.pages, PagePlan{Field: graphql.GetFieldContext(ctx).Path().String(), Steps: page.Plan.Steps()})
}
