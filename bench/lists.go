package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/rueidis"

	"visualizer/bench/load"
	"visualizer/query/search"
	"visualizer/schema"
)

// list is a filter, as search has it and as a naive FT.SEARCH has it, in whose
// text $0, $1 … are the values.
type list struct {
	name   string
	filter *search.Filter
	naive  string
	values []string
}

// lists are the filters that are measured, those that match 1 % or more first.
func lists(d *load.Data) (common, selective []list) {
	part, rare := d.Hashtag(0.01), d.Hashtag(0.0001)
	word := d.Word(0.05)
	author := string(d.Sample[len(d.Sample)/2].Author.Username)
	common = []list{
		{"all", nil, "*", nil},
		{"in English", &search.Filter{Langs: []string{"en"}}, "@lang:{$0}", []string{"en"}},
		{"in Polish", &search.Filter{Langs: []string{"pl"}}, "@lang:{$0}", []string{"pl"}},
		{"with a location", &search.Filter{HasLocation: new(true)}, "@hasGeo:{1}", nil},
		{"a common word", &search.Filter{Text: &word}, "@words:$0", []string{schema.WordToken(word)}},
		{"a common hashtag", &search.Filter{Hashtags: []string{part}}, "@hashtags:{$0}", []string{part}},
	}
	selective = []list{
		{"a rare hashtag", &search.Filter{Hashtags: []string{rare}}, "@hashtags:{$0}", []string{rare}},
		{"an author", &search.Filter{Usernames: []string{author}}, "@username:{$0}", []string{schema.Fold(author)}},
	}
	return common, selective
}

// order is an order of tweets, as search has it and as SORTBY has it.
type order struct {
	name   string
	order  search.Order
	sortBy []string
	// key is a tweet's value in this order.
	key func(*schema.Tweet) string
	// deep is what page 1,000 may take, compared with page 1.
	deep float64
}

// orders are those that are measured.
func orders() []order {
	return []order{
		{"newest", search.Newest, []string{schema.FieldCreatedAt, "DESC"}, createdAt, 1.3},
		{"most liked", search.Order{Field: search.OrderLikes, Descending: true}, []string{schema.FieldLikes, "DESC"}, likes, 1.3},
		{"by username", search.Order{Field: search.OrderUsername}, []string{schema.FieldUsername, "ASC"}, username, 2},
	}
}

func likes(t *schema.Tweet) string {
	if t.Metrics.Likes == nil {
		return ""
	}
	return strconv.FormatInt(*t.Metrics.Likes, 10)
}

func username(t *schema.Tweet) string {
	if t.Author == nil {
		return ""
	}
	return schema.Fold(string(t.Author.Username))
}

func createdAt(t *schema.Tweet) string {
	if t.CreatedAt == nil {
		return ""
	}
	return t.CreatedAt.String()
}

const pageSize = search.DefaultFirst

// page is the request of the first page of a list.
func (l list) page(o order) search.Request {
	return search.Request{Filter: l.filter, Order: o.order, Want: search.Want{Tweets: schema.AllParts}}
}

// naiveCommand is the FT.SEARCH that says the same without a plan.
func (l list) naiveCommand(client rueidis.Client, o order) rueidis.Completed {
	args := []string{l.naive, "RETURN", "3", schema.TweetPath, "AS", "t", "SORTBY"}
	args = append(append(args, o.sortBy...), "LIMIT", "0", strconv.Itoa(pageSize))
	if len(l.values) > 0 {
		args = append(args, "PARAMS", strconv.Itoa(2*len(l.values)))
		for i, v := range l.values {
			args = append(args, strconv.Itoa(i), schema.TagValue(v))
		}
	}
	args = append(args, "TIMEOUT", strconv.FormatInt(patience.Milliseconds(), 10), "DIALECT", "2")
	return client.B().Arbitrary("FT.SEARCH").Keys(schema.IndexAlias).Args(args...).ReadOnly()
}

// naiveTweets asks for the page without a plan.
func (l list) naiveTweets(ctx context.Context, d *load.Data, o order) ([]*schema.Tweet, error) {
	_, rows, err := d.Client.Do(ctx, l.naiveCommand(d.Client, o)).AsFtSearch()
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", l.naive, err)
	}
	page := make([]*schema.Tweet, len(rows))
	for i, row := range rows {
		page[i] = new(schema.Tweet)
		if err := schema.Decode([]byte(row.Doc["t"]), page[i]); err != nil {
			return nil, fmt.Errorf("read %s: %w", row.Key, err)
		}
	}
	return page, nil
}
