package search_test

import (
	"strings"
	"testing"

	"visualizer/query/search"
	"visualizer/schema"
)

// TestUser: the profile is the last one observed, whatever the age of the tweet
// it stood beside.
func TestUser(t *testing.T) {
	client := open(t)
	seen := func(id, author, username, name string, observed schema.Time) {
		tw := schema.Tweet{ID: id, Author: &schema.User{ID: author, Username: schema.Opt(username), Name: schema.Opt(name)}}
		putRanked(t, client, &tw, schema.Rank{Observed: observed, Place: 1})
	}
	seen("30", "7", "Mira", "old", 1000)
	seen("10", "7", "mira_v", "new", 2000) // the older tweet, observed later
	seen("20", "8", "mira", "another, who took the name", 3000)
	seen("40", "9", "Kelp", "kelp", 0)
	seen("50", "9", "", "", 5000) // an observation that told the id alone
	store := search.New(client)
	for _, tt := range []struct{ id, username, want string }{
		{id: "7", want: "new"},
		{id: "8", want: "another, who took the name"},
		{id: "9", want: "kelp"},
		{username: "MIRA_V", want: "new"},
		{username: "@mira", want: "another, who took the name"},
		{username: "kelp", want: "kelp"},
		{id: "6"}, {id: "x"}, {username: "nobody"}, {username: "@"}, {username: "mi*"}, {username: "kelp|mira"},
	} {
		var id, username *string
		if tt.id != "" {
			id = &tt.id
		} else {
			username = &tt.username
		}
		u, err := store.User(deadline(t), id, username)
		if err != nil {
			t.Errorf("user %q %q: %v", tt.id, tt.username, err)
			continue
		}
		if got := nameOf(u); got != tt.want {
			t.Errorf("user %q %q is %q, want %q", tt.id, tt.username, got, tt.want)
		}
	}
	for want, arguments := range map[string][2]*string{"id: neither": {}, "username: id and username exclude": {new("7"), new("mira")}} {
		if _, err := store.User(deadline(t), arguments[0], arguments[1]); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("user with arguments %v: %v, want %s…", arguments, err, want)
		}
	}
}

func nameOf(u *schema.User) string {
	if u == nil {
		return ""
	}
	return string(u.Name)
}
