package source

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// rulesPath is where the rules of SearchStream are.
const rulesPath = SearchStream + "/rules"

const (
	// ruleTime bounds a request about rules.
	ruleTime = 30 * time.Second
	// maxRuleBytes is how much of an answer about rules is read: more than the
	// largest set of rules takes.
	maxRuleBytes = 32 << 20
	// maxRulePages bounds the pages of a list that would not end.
	maxRulePages = 1000
)

// Rule says which tweets SearchStream delivers.
type Rule struct {
	ID    string // as the API gave it; "" of a rule to add, or that was only tried
	Value string // in the language of X's search
	Tag   string // what tweets that match are marked with, or ""
}

// RuleSet is the rules of one app.
type RuleSet struct{ api *api }

// NewRuleSet returns the rules of the app that token is of, at an API whose
// base is baseURL, "" being the public one.
func NewRuleSet(baseURL string, token Token) (*RuleSet, error) {
	api, err := newAPI(baseURL, token, nil)
	if err != nil {
		return nil, err
	}
	return &RuleSet{api}, nil
}

// All returns all rules.
func (r *RuleSet) All(ctx context.Context) ([]Rule, error) {
	var rules []Rule
	query := url.Values{}
	for range maxRulePages {
		a, err := r.ask(ctx, "list rules", http.MethodGet, query, nil)
		if err != nil {
			return nil, err
		}
		if err := a.problems("list rules"); err != nil {
			return nil, err
		}
		rules = append(rules, a.rules()...)
		next := a.Meta.or().Next.s
		if next == "" {
			break
		}
		query.Set("pagination_token", next)
	}
	return rules, nil
}

// Add adds rules and returns those that the API took, with their ids, also when
// it did not take others, of which the error tells. With dryRun it is only
// tried.
func (r *RuleSet) Add(ctx context.Context, rules []Rule, dryRun bool) ([]Rule, error) {
	type added struct {
		Value string `json:"value"`
		Tag   string `json:"tag,omitzero"`
	}
	body := struct {
		Add []added `json:"add"`
	}{}
	for _, rule := range rules {
		body.Add = append(body.Add, added{rule.Value, rule.Tag})
	}
	a, err := r.ask(ctx, "add rules", http.MethodPost, dry(dryRun), body)
	if err != nil {
		return nil, err
	}
	err = a.problems("add rule")
	if n := len(rules) - len(a.Data.items); n > 0 && err == nil {
		err = fmt.Errorf("add rules: %d of %d were not added, and the API does not say why", n, len(rules))
	}
	return a.rules(), err
}

// Remove removes the rules that have these ids or values, and returns them. It
// removes none when there is no such rule. With dryRun it is only tried.
func (r *RuleSet) Remove(ctx context.Context, idsOrValues []string, dryRun bool) ([]Rule, error) {
	all, err := r.All(ctx)
	if err != nil {
		return nil, err
	}
	doomed, err := choose(all, idsOrValues)
	if err != nil {
		return nil, err
	}
	var body struct {
		Delete struct {
			IDs []string `json:"ids"`
		} `json:"delete"`
	}
	for _, rule := range doomed {
		body.Delete.IDs = append(body.Delete.IDs, rule.ID)
	}
	a, err := r.ask(ctx, "remove rules", http.MethodPost, dry(dryRun), body)
	if err != nil {
		return nil, err
	}
	if err = a.problems("remove rule"); err == nil && a.Meta.or().Summary.or().NotDeleted.n == 0 {
		return doomed, nil
	}
	return r.gone(ctx, doomed, err)
}

// gone returns those of some rules that are no more, after the API did not
// remove all of them, and the error with what was not removed.
func (r *RuleSet) gone(ctx context.Context, doomed []Rule, why error) ([]Rule, error) {
	left, err := r.All(ctx)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	removed := slices.DeleteFunc(doomed, func(d Rule) bool {
		return slices.ContainsFunc(left, func(l Rule) bool { return l.ID == d.ID })
	})
	return removed, errors.Join(fmt.Errorf("remove rules: %d of %d were not removed", len(doomed)-len(removed), len(doomed)), why)
}

// choose returns the rules that have these ids or, if there is no such id,
// values.
func choose(all []Rule, idsOrValues []string) (chosen []Rule, err error) {
	var errs []error
	for _, name := range idsOrValues {
		i := slices.IndexFunc(all, func(r Rule) bool { return r.ID == name })
		if i < 0 {
			i = slices.IndexFunc(all, func(r Rule) bool { return r.Value == name })
		}
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("remove rule %q: there is no such id or value: look with visualizer rules list", name))
		case !slices.Contains(chosen, all[i]):
			chosen = append(chosen, all[i])
		}
	}
	return chosen, errors.Join(errs...)
}

func dry(run bool) url.Values {
	if run {
		return url.Values{"dry_run": {"true"}}
	}
	return nil
}
