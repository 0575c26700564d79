package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// ask sends a request about rules. An answer that is neither rules nor problems
// with single rules is an error.
func (r *RuleSet) ask(ctx context.Context, act, method string, query url.Values, body any) (*rulesJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, ruleTime)
	defer cancel()
	a, err := r.exchange(ctx, method, query, body)
	if err != nil {
		text := r.api.token.redact(err.Error())
		if errors.Is(err, errRefused) {
			return nil, fmt.Errorf("%s: %w", act, &refusedError{text})
		}
		return nil, fmt.Errorf("%s: %s", act, text)
	}
	a.hide = r.api.token.redact
	return a, nil
}

func (r *RuleSet) exchange(ctx context.Context, method string, query url.Values, body any) (*rulesJSON, error) {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	resp, err := r.api.send(ctx, method, rulesPath, query, sent)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := wholeAnswer(resp)
	if err != nil {
		return nil, err
	}
	a := new(rulesJSON)
	decoded := mediaType(resp) != "text/html" && json.Unmarshal(text, a, wireOptions) == nil
	switch good := resp.StatusCode/100 == 2; {
	case good && decoded:
		return a, nil
	case decoded && a.aboutRules():
		return a, nil // 400 when all of them are wrong
	case good:
		return nil, errors.New("the answer is no JSON: check --x-url")
	}
	return nil, rulesRefused(resp, text)
}

func wholeAnswer(resp *http.Response) ([]byte, error) {
	plain, err := decompress(resp, resp.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(plain, maxRuleBytes))
}

// rulesRefused tells of an answer that is neither rules nor about them.
func rulesRefused(resp *http.Response, text []byte) error {
	resp.Header.Del("Content-Encoding") // text is plain
	said, p := refusal(resp, strings.NewReader(string(text)))
	switch {
	case refuses(resp.StatusCode):
		return fmt.Errorf("%s: %w", said, errRefused)
	case limited(resp.StatusCode):
		said += ": try again later"
		if reset, ok := resetOf(resp); ok {
			said += ", at " + reset.UTC().Format(time.RFC3339)
		}
	}
	return &Down{Problem: p.kind(""), Err: errors.New(said)}
}

// rulesJSON is an answer about rules.
type rulesJSON struct {
	Data   objects[ruleAnswerJSON]  `json:"data"`
	Errors objects[ruleProblemJSON] `json:"errors"`
	Meta   object[rulesMetaJSON]    `json:"meta"`

	hide func(string) string // hides the token in what the API says
}

type ruleAnswerJSON struct {
	ID    flexID     `json:"id"`
	Value flexString `json:"value"`
	Tag   flexString `json:"tag"`
}

// ruleProblemJSON is what is wrong with a rule.
type ruleProblemJSON struct {
	problemJSON
	ruleAnswerJSON
	Details list[flexString] `json:"details"`
}

type rulesMetaJSON struct {
	Next    flexString `json:"next_token"`
	Summary object[struct {
		NotDeleted flexInt `json:"not_deleted"`
	}] `json:"summary"`
}

func (a *rulesJSON) rules() (rules []Rule) {
	for _, d := range a.Data.items {
		rules = append(rules, Rule{ID: string(d.ID), Value: d.Value.s, Tag: d.Tag.s})
	}
	return rules
}

// aboutRules reports whether each problem says which rule it is about.
func (a *rulesJSON) aboutRules() bool {
	return len(a.Errors.items) > 0 && !slices.ContainsFunc(a.Errors.items, func(p ruleProblemJSON) bool {
		return p.Value.s == "" && p.ruleAnswerJSON.ID == ""
	})
}

// problems returns what the API says is wrong, or nil.
func (a *rulesJSON) problems(act string) error {
	var errs []error
	for _, p := range a.Errors.items {
		errs = append(errs, fmt.Errorf("%s: %s", act, a.hide(p.text())))
	}
	return errors.Join(errs...)
}

// text says which rule it is, and what is wrong.
func (p *ruleProblemJSON) text() string {
	var parts []string
	if p.Value.s != "" {
		parts = append(parts, fmt.Sprintf("%q", p.Value.s))
	}
	if p.Title.s != "" {
		parts = append(parts, p.Title.s)
	}
	for _, d := range p.Details.items {
		parts = append(parts, d.s)
	}
	if said := p.Detail.s + p.Message.s; said != "" {
		parts = append(parts, said)
	}
	if p.ruleAnswerJSON.ID != "" {
		parts = append(parts, "rule "+string(p.ruleAnswerJSON.ID))
	}
	return strings.Join(parts, ": ")
}
