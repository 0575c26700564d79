// Command genqlient is a client whose code genqlient generates: queries by HTTP,
// subscriptions by WebSocket. It takes the URL of GraphQL and a moment, walks the
// tweets created before it, waits for a tweet ingested meanwhile and prints
// {total, pages: [[id]], began, added: {id, observedAt}}.
//
// It is a program, not part of the test that runs it, since the library's
// WebSocket client has data races of its own.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/Khan/genqlient/graphql"
)

//go:generate go tool genqlient

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

// heard is what is printed.
type heard struct {
	Total int                   `json:"total"`
	Pages [][]string            `json:"pages"`
	Began time.Time             `json:"began"`
	Added *AddedTweetAddedTweet `json:"added"`
}

func run(ctx context.Context, url, until string) error {
	moment, err := time.Parse(time.RFC3339, until)
	if err != nil {
		return err
	}
	before := &TweetFilter{Until: &moment}
	client := graphql.NewClient(url, http.DefaultClient)
	count, err := Count(ctx, client, before)
	if err != nil {
		return err
	}
	h := heard{Total: count.Tweets.TotalCount}
	if h.Pages, err = walk(ctx, client, before); err != nil {
		return err
	}
	h.Began = time.Now()
	if h.Added, err = next(ctx, url, h.Began); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(h)
}

func walk(ctx context.Context, client graphql.Client, filter *TweetFilter) (pages [][]string, err error) {
	for after := (*string)(nil); ; {
		page, err := Page(ctx, client, filter, after)
		if err != nil {
			return nil, err
		}
		ids := []string{}
		for _, edge := range page.Tweets.Edges {
			ids = append(ids, edge.Node.Id)
		}
		pages = append(pages, ids)
		if !page.Tweets.PageInfo.HasNextPage {
			return pages, nil
		}
		after = page.Tweets.PageInfo.EndCursor
	}
}

// next waits for a tweet that was read after a moment.
func next(ctx context.Context, url string, began time.Time) (*AddedTweetAddedTweet, error) {
	client := graphql.NewClientUsingWebSocket(strings.Replace(url, "http", "ws", 1), dialer{})
	trouble, err := client.Start(ctx)
	if err != nil {
		return nil, err
	}
	added, _, err := Added(ctx, client, &TweetFilter{Types: []TweetType{TweetTypeOriginal}})
	if err != nil {
		return nil, err
	}
	for {
		select {
		case err := <-trouble:
			return nil, err
		case a := <-added:
			if a.Errors != nil {
				return nil, a.Errors
			}
			if t := a.Data.TweetAdded; t.ObservedAt.After(began) {
				return &t, nil
			}
		}
	}
}
