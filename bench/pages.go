package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"visualizer/bench/report"
)

// asker asks a query service over a number of connections.
type asker struct{ *wires }

func newAsker(url string, connections int) *asker { return &asker{newWires(url, connections)} }

// ask sends a query and reads data into answer, if that is not nil.
func (a *asker) ask(ctx context.Context, query string, variables map[string]any, answer any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	status, text, err := a.post(ctx, body)
	if err != nil {
		return err
	}
	if status != http.StatusOK || bytes.Contains(text, []byte(`"errors":`)) {
		return fmt.Errorf("ask for %.100s: status %d: %.200s", query, status, text)
	}
	if answer == nil {
		return nil
	}
	reply := struct {
		Data any `json:"data"`
	}{answer}
	return json.Unmarshal(text, &reply)
}

const (
	newestQuery = `query($after: String) { tweets(first: 10, after: $after) { nodes { id text createdAt author { id username } hashtags metrics { likes retweets } } pageInfo { endCursor } } }`
	cursorQuery = `query($after: String) { tweets(first: 100, after: $after) { edges { cursor } } }`
)

// cursors are places in the list of the newest, each of another page.
type cursors struct {
	all  []string
	next atomic.Int64
}

// walk reads so many cursors.
func walk(ctx context.Context, a *asker, n int) (*cursors, error) {
	c := &cursors{}
	after := ""
	for len(c.all) < n {
		variables := map[string]any{}
		if after != "" {
			variables["after"] = after
		}
		var got struct {
			Tweets struct {
				Edges []struct {
					Cursor string `json:"cursor"`
				} `json:"edges"`
			} `json:"tweets"`
		}
		if err := a.ask(ctx, cursorQuery, variables, &got); err != nil {
			return nil, err
		}
		if len(got.Tweets.Edges) == 0 {
			break
		}
		for _, e := range got.Tweets.Edges {
			c.all = append(c.all, e.Cursor)
		}
		after = c.all[len(c.all)-1]
	}
	return c, nil
}

// variables are those of a page that was not asked for lately.
func (c *cursors) variables() map[string]any {
	return map[string]any{"after": c.all[int(c.next.Add(1))%len(c.all)]}
}

// openLoad asks for so many pages a second, each of another place, whether the
// answers come in time or not, until ctx ends. It returns how many ms each took
// from when it was due.
func openLoad(ctx context.Context, a *asker, c *cursors, rate, connections int) (report.Sample, error) {
	var g errgroup.Group
	var mu sync.Mutex
	var times report.Sample
	var due atomic.Int64
	began := time.Now()
	for range connections {
		g.Go(func() error {
			for {
				at := began.Add(time.Duration(due.Add(1)) * time.Second / time.Duration(rate))
				select {
				case <-ctx.Done():
					return nil
				case <-time.After(time.Until(at)):
				}
				if err := a.ask(context.WithoutCancel(ctx), newestQuery, c.variables(), nil); err != nil {
					return err
				}
				took := time.Since(at).Seconds() * 1000
				mu.Lock()
				times = append(times, took)
				mu.Unlock()
			}
		})
	}
	err := g.Wait()
	return times, err
}
