package search

import (
	"context"
	"strings"

	"visualizer/schema"
)

// User returns a user by id or username, one of which is given, as last
// observed in a stored tweet of theirs; nil when there is none. A username
// means whoever was last seen with it. An *InputError tells of other arguments.
func (s *Store) User(ctx context.Context, id, username *string) (*schema.User, error) {
	switch {
	case id == nil && username == nil:
		return nil, inputError("neither id nor username is given: give one", "id")
	case id != nil && username != nil:
		return nil, inputError("id and username exclude each other: give one", "username")
	case id != nil:
		return s.sharedUser(ctx, "id "+*id, func(ctx context.Context) (*schema.User, error) {
			return s.profile(ctx, &Filter{AuthorIDs: []string{*id}})
		})
	}
	return s.sharedUser(ctx, "username "+*username, func(ctx context.Context) (*schema.User, error) {
		return s.named(ctx, *username)
	})
}

// sharedUser shares the answer with who asks for the same user at the same
// moment.
func (s *Store) sharedUser(ctx context.Context, question string, ask func(context.Context) (*schema.User, error)) (*schema.User, error) {
	return shared(ctx, s, s.users, question, ask)
}

// named returns whoever was last seen with a username.
func (s *Store) named(ctx context.Context, username string) (*schema.User, error) {
	named, err := s.profile(ctx, &Filter{Usernames: []string{username}})
	if named == nil || named.ID == "" || err != nil {
		return named, err
	}
	return s.profile(ctx, &Filter{AuthorIDs: []string{named.ID}})
}

// profile returns the profile of the author that was observed last among the
// tweets of a filter. One with a username comes before one without.
func (s *Store) profile(ctx context.Context, f *Filter) (*schema.User, error) {
	p, err := NewPredicate(f)
	if err != nil {
		return nil, err
	}
	e := expressionOf(p)
	if e.none() {
		return nil, nil
	}
	if err := s.check(ctx, e, schema.FieldNulls, schema.FieldObserved, schema.FieldPlace); err != nil {
		return nil, err
	}
	named := segment{order: Order{Field: OrderUsername}}
	for _, seg := range []segment{named, {order: named.order, nulls: true}} {
		u, err := s.lastObserved(ctx, e, seg)
		if u != nil || err != nil {
			return u, err
		}
	}
	return nil, nil
}

func (s *Store) lastObserved(ctx context.Context, e expression, seg segment) (*schema.User, error) {
	query, _ := e.query(seg.narrow(stretch{})...)
	latest := "VERBATIM SORTBY 4 @" + schema.FieldObserved + " DESC @" + schema.FieldPlace + " DESC MAX 1 LOAD 3 " +
		schema.TweetPath + " AS " + tweetAttribute
	reply, err := s.ask(ctx, e.params, call{name: "FT.AGGREGATE", query: query, args: strings.Fields(latest)})
	if err != nil {
		return nil, err
	}
	tweets, err := decode(reply.rows, schema.PartsOf("author"))
	if len(tweets) == 0 || err != nil {
		return nil, err
	}
	return tweets[0].Author, nil
}
