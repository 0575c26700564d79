package feed_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"visualizer/query/feed"
	"visualizer/query/search"
	"visualizer/schema"
)

func tweet(id int) schema.Tweet { return schema.Tweet{ID: strconv.Itoa(id), RawText: "t"} }

// TestBegin: a subscription sees no tweet that was stored before it, also when
// nobody had told of it yet, and each one that was stored after.
func TestBegin(t *testing.T) {
	l := start(t, nil)
	l.add(tweet(1))
	l.store(tweet(2))
	s := l.follow(nil)
	l.store(tweet(3))
	l.tell(2)
	l.add(tweet(4))
	l.expect("who came behind 2", s, "3", "4")
}

// TestOnce: what is told again, or was deleted before it could be told, is seen
// by nobody.
func TestOnce(t *testing.T) {
	l := start(t, nil)
	s := l.follow(nil)
	l.add(tweet(1))
	l.add(tweet(2))
	l.store(tweet(3))
	if err := l.redis.Do(t.Context(), l.redis.B().JsonDel().Key(schema.TweetKey("3")).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	l.tell(1)
	l.add(tweet(4))
	l.expect("all", s, "1", "2", "4")
}

// TestGap: whatever is missing ends the subscriptions, behind what was whole;
// whoever comes then is told again.
func TestGap(t *testing.T) {
	for name, fault := range map[string]func(l *line){
		"a number is left out": func(l *line) { l.store(tweet(2)); l.told = l.number; l.add(tweet(3)) },
		"another process":      func(l *line) { l.process = "q"; l.add(tweet(3)) },
		"the stream is gone": func(l *line) {
			if err := l.js.DeleteStream(l.t.Context(), schema.StreamStored); err != nil {
				l.t.Fatal(err)
			}
			l.eventually("nobody is let in", func() bool { return errors.Is(l.Ready(l.t.Context()), feed.ErrUnavailable) })
			l.makeStream()
		},
		"a message is garbage": func(l *line) {
			if _, err := l.js.Publish(l.t.Context(), schema.SubjectStored, []byte("{")); err != nil {
				l.t.Fatal(err)
			}
		},
		"the store is away": func(l *line) {
			b := l.redis.B()
			if err := l.redis.Do(l.t.Context(), b.AclSetuser().Username("default").Rule("-json.mget").Build()).Error(); err != nil {
				l.t.Fatal(err)
			}
			l.add(tweet(3))
			l.expect("who follows meanwhile", l.follow(nil), feed.ErrGap.Error())
			if err := l.redis.Do(l.t.Context(), b.AclSetuser().Username("default").Rule("+json.mget").Build()).Error(); err != nil {
				l.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, nil)
			s, twin, none := l.follow(nil), l.follow(nil), l.follow(&search.Filter{IDs: []string{}})
			l.add(tweet(1))
			l.expect("who follows as well", twin, "1")
			fault(l)
			l.expect("who follows", s, "1", feed.ErrGap.Error(), feed.ErrGap.Error())
			l.expect("who is told nothing", none, feed.ErrGap.Error())
			l.ready()
			s = l.follow(nil)
			l.add(tweet(9))
			l.expect("who comes then", s, "9")
		})
	}
}

// TestSlow: who doesn't read is dropped when the queue is full, and the others
// are told everything.
func TestSlow(t *testing.T) {
	for name, change := range map[string]func(*feed.Limits){
		"tweets":       func(l *feed.Limits) { l.Queue = 10 },
		"bytes":        func(l *feed.Limits) { l.QueueBytes = 10 * 1025 },
		"bytes of all": func(l *feed.Limits) { l.Bytes = 10 * 1025 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, change)
			slow, good := l.follow(nil), l.follow(nil)
			for i := range 50 {
				l.add(tweet(1 + i))
				l.expect("who reads", good, strconv.Itoa(1+i))
			}
			l.expect("who doesn't read", slow, feed.ErrSlow.Error(), feed.ErrSlow.Error())
		})
	}
}

// TestFull: there are only so many subscriptions and filters, and who leaves
// makes room. Filters that mean the same are one.
func TestFull(t *testing.T) {
	l := start(t, func(l *feed.Limits) { l.Subscriptions, l.Filters = 3, 2 })
	hashtags := func(tags ...string) *search.Filter { return &search.Filter{Hashtags: tags} }
	ctx, leave := context.WithCancel(t.Context())
	p, err := search.NewPredicate(hashtags("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Subscribe(ctx, ctx, p); err != nil {
		t.Fatal(err)
	}
	l.follow(hashtags("#B", "A"))
	s := l.follow(hashtags("c"))
	if _, err := l.tryFollow(hashtags("c")); !errors.Is(err, feed.ErrFull) {
		t.Errorf("the fourth is let in: %v", err)
	}
	leave()
	l.eventually("there is room", func() bool {
		_, err := l.tryFollow(hashtags("d"))
		return errors.Is(err, feed.ErrFull) && err.Error() == "too many subscriptions are open: with 2 different filters"
	})
	twin := l.follow(hashtags("c"))
	c := tweet(1)
	c.Hashtags = []string{"C"}
	l.add(c)
	l.expect("who follows #c", s, "1")
	l.expect("who follows #c as well", twin, "1")
}

// TestReconnect: a connection that breaks for a moment costs nothing, and one
// that is away for long is told as a gap.
func TestReconnect(t *testing.T) {
	l := start(t, nil)
	s := l.follow(nil)
	l.add(tweet(1))
	l.expect("before", s, "1")
	for i := range 5 {
		l.wire.cut(true)
		l.add(tweet(10 + i))
		l.wire.cut(false)
		l.expect("after it broke", s, strconv.Itoa(10+i))
	}
	l.wire.cut(true)
	l.expect("while it is away", s, feed.ErrGap.Error())
	if _, err := l.tryFollow(nil); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("somebody is let in: %v", err)
	}
	l.add(tweet(20))
	l.wire.cut(false)
	l.ready()
	s = l.follow(nil)
	l.add(tweet(21))
	l.expect("who comes then", s, "21")
}

// TestReferences: what the tweets of a batch refer to is read once, for all of
// them and all who follow them.
func TestReferences(t *testing.T) {
	l := start(t, nil)
	s, twin := l.follow(nil), l.follow(nil)
	for id := range 2 {
		text, err := schema.Encode(schema.NewDocument(tweet(100+id), schema.Ranks{}))
		if err == nil {
			err = l.redis.Do(t.Context(), l.redis.B().JsonSet().Key(schema.HiddenKey(strconv.Itoa(100+id))).Path("$").Value(string(text)).Build()).Error()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	quotes := func(id, of int) schema.Tweet {
		q := tweet(id)
		q.References = []schema.Reference{{Type: schema.Quoted, ID: strconv.Itoa(of)}}
		return q
	}
	l.store(quotes(1, 100), quotes(2, 101), quotes(3, 102))
	l.tell(1)
	for i, who := range []*feed.Subscription{s, twin} {
		for n, want := range []string{"100", "101", ""} {
			it, err := who.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			id := it.Tweet.References[0].ID
			found, err := it.Lookup(t.Context(), []string{id})
			if err != nil || (want != "") != (found[id] != nil) || want != "" && found[id].ID != want {
				t.Errorf("subscriber %d, tweet %d: found %v, %v, want %q", i, n, found, err, want)
			}
			if err := l.redis.Do(t.Context(), l.redis.B().JsonDel().Key(schema.HiddenKey("101")).Build()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
