package search_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestFirstSight: a filter that was never asked takes one search, whether few
// tweets match it or many; three where all stand at the other end.
func TestFirstSight(t *testing.T) {
	client := open(t)
	var tweets []*schema.Tweet
	for i := range 20_000 {
		at := worldStart + schema.Time(i*100)
		tw := &schema.Tweet{ID: schema.Snowflake(at, uint32(i)), CreatedAt: &at, Author: &schema.User{Username: schema.Opt(fmt.Sprint("user", i%503))}}
		words := []string{"all"}
		for _, every := range []int{2, 5, 20, 50, 1000} {
			if i%every == 0 {
				words = append(words, fmt.Sprint("every", every))
			}
		}
		if i < 2000 {
			words = append(words, "oldest")
		}
		tw.RawText = strings.Join(words, " ")
		tw.Text = tw.RawText
		tweets = append(tweets, tw)
	}
	put(t, client, tweets...)
	store := search.New(client)
	if err := store.Prepare(deadline(t)); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"all", "every2", "every5", "every20", "every50", "every1000", "oldest", "none"} {
		for _, field := range []search.OrderField{search.OrderCreatedAt, search.OrderUsername} {
			for _, descending := range []bool{true, false} {
				page, err := store.Tweets(deadline(t), search.Request{
					Filter: &search.Filter{Text: &word}, Order: search.Order{Field: field, Descending: descending},
					Want: search.Want{Tweets: schema.AllParts},
				})
				if err != nil {
					t.Fatal(err)
				}
				most := 1
				if word == "oldest" && field == search.OrderCreatedAt && descending {
					most = 3
				}
				if steps := page.Plan.Steps(); len(steps) > most {
					t.Errorf("%s by %s, descending %v: %d searches: %+v", word, field, descending, len(steps), steps)
				}
			}
		}
	}
}

// TestExemplarsAreFew: what is kept in memory is bounded, however many and
// however long the tweets are.
func TestExemplarsAreFew(t *testing.T) {
	client := open(t)
	var tweets []*schema.Tweet
	for i := range 9000 {
		at := worldStart + schema.Time(i)
		tw := &schema.Tweet{ID: schema.Snowflake(at, uint32(i)), CreatedAt: &at, RawText: "short", Text: "short"}
		if i%2 == 0 {
			tw.RawText = strings.Repeat("long ", 2000)
			tw.Text = tw.RawText
		}
		tweets = append(tweets, tw)
	}
	put(t, client, tweets...)
	store := search.New(client)
	all, err := store.Exemplars(deadline(t), len(tweets))
	if err != nil {
		t.Fatal(err)
	}
	for _, tw := range all {
		if tw.RawText != "short" {
			t.Fatal("a long tweet is an exemplar")
		}
	}
	// As if there were many more tweets: of these as many fewer.
	some, err := store.Exemplars(deadline(t), 64*4*search.ExemplarCount)
	if err != nil {
		t.Fatal(err)
	}
	if few := len(all) / 4; len(all) < 40 || len(some) < few/3 || len(some) > few*2 {
		t.Errorf("%d exemplars of all, %d of four times as many", len(all), len(some))
	}
}

// TestExemplarsAreForgotten, also when nobody asks any more.
func TestExemplarsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		var failing error
		exemplars := search.NewExemplars(func() error { reads++; return failing })
		exemplars.Want()
		synctest.Wait()
		if !exemplars.Want() || reads != 1 {
			t.Fatalf("nothing is there after %d readings", reads)
		}
		exemplars.Sleep(search.ExemplarAge + 1)
		failing = errors.New("Redis is away")
		if !exemplars.Want() {
			t.Fatal("nobody goes on with the old ones")
		}
		synctest.Wait()
		if reads != 2 {
			t.Fatalf("%d readings, want another one when they are old", reads)
		}
		exemplars.Sleep(search.ExemplarLife - search.ExemplarAge)
		if exemplars.Want() {
			t.Error("exemplars are older than they may become")
		}
		synctest.Wait()
	})
}
