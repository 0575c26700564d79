package schema_test

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"visualizer/schema"
)

// hostile are strings whose JSON is not what stands between its quotes, or
// looks like its end.
var hostile = []string{`"`, `\`, `\"`, `\\`, `a\`, `","text":"`, "\x01\n", "\u2028", "😀", "é", `{"id":"2"}`, `]}`, "<&>"}

// anyTweet returns a tweet of which every field may be set or not.
func anyTweet(t *testing.T, random *rand.Rand) schema.Tweet {
	v, ok := quick.Value(reflect.TypeFor[schema.Tweet](), random)
	if !ok {
		t.Fatal("quick makes no tweet")
	}
	tweet := v.Interface().(schema.Tweet)
	for fields, i := v.Type(), 0; i < fields.NumField(); i++ {
		if random.Intn(3) == 0 {
			reflect.ValueOf(&tweet).Elem().Field(i).SetZero()
		}
	}
	pick := func() string { return hostile[random.Intn(len(hostile))] + hostile[random.Intn(len(hostile))] }
	tweet.RawText, tweet.Source = pick(), schema.Opt(pick())
	tweet.Hashtags = append(tweet.Hashtags, pick())
	tweet.Text = []string{tweet.RawText, pick()}[random.Intn(2)]
	return tweet
}

// only returns t with no other fields than those of the given names in JSON.
func only(t *schema.Tweet, names map[string]bool) *schema.Tweet {
	kept := *t
	for i, f := range reflect.VisibleFields(reflect.TypeFor[schema.Tweet]()) {
		if !names[jsonName(f)] {
			reflect.ValueOf(&kept).Elem().Field(i).SetZero()
		}
	}
	return &kept
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// TestReadTweet: what is read of a stored tweet is what a JSON decoder finds in
// it, whichever parts are wanted, and no more.
func TestReadTweet(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	fields := reflect.VisibleFields(reflect.TypeFor[schema.Tweet]())
	for range 5_000 {
		tweet := anyTweet(t, random)
		json, err := schema.Encode(tweet)
		if err != nil {
			t.Fatal(err)
		}
		var whole schema.Tweet
		if err := schema.Decode(json, &whole); err != nil {
			t.Fatal(err)
		}
		names, want := map[string]bool{"id": true}, schema.PartsOf("id")
		for _, f := range fields {
			if random.Intn(2) == 0 {
				names[jsonName(f)] = true
				want |= schema.PartsOf(jsonName(f))
			}
		}
		names["text"] = names["text"] || names["rawText"]
		names["rawText"] = names["text"]
		got, err := schema.ReadTweet(string(json), want)
		if diff := cmp.Diff(only(&whole, names), got); diff != "" || err != nil {
			t.Fatalf("%s\nparts %v, error %v: %s", json, names, err, diff)
		}
	}
}

// TestParts: each field of a tweet can be read by itself; a name that is none
// gives all.
func TestParts(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[schema.Tweet]()) {
		if parts := schema.PartsOf(jsonName(f)); parts == 0 || parts == schema.AllParts {
			t.Errorf("%s: parts %b", jsonName(f), parts)
		}
	}
	if schema.PartsOf("id", "likes") != schema.AllParts {
		t.Error("a name that is no field's does not give all")
	}
}

// FuzzReadTweet: whatever Redis may hold, reading it ends, and what a JSON
// decoder takes for a tweet is read as that.
func FuzzReadTweet(f *testing.F) {
	for _, s := range []string{`{"id":"1"}`, `{"id":"1","rawText":"a\"b\\","metrics":{"likes":1}}`, `{"id":1}`, `{"id":"1","metrics":{"likes":1.5}}`,
		`{"id":"1","new":[{"a":"]"}]}`, `{ "id" : "1" }`, `{"id":"1"`, `[]`, ``, `{"id":"\ud800"}`, `{"id":"1","place":null}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, json string) {
		var want schema.Tweet
		wrong := schema.Decode([]byte(json), &want)
		got, err := schema.ReadTweet(json, schema.AllParts)
		if wrong != nil || !utf8.ValidString(json) {
			return // Redis holds no such document
		}
		if diff := cmp.Diff(&want, got); diff != "" || err != nil {
			t.Fatalf("%s: error %v: %s", json, err, diff)
		}
	})
}

// storedTweet is as the stream of samples has them.
const storedTweet = `{"id":"1234567890123456789","rawText":"RT @someone: an article about things that we saw today https://t.co/abcdefghij #Berlin",` +
	`"createdAt":1700000000000,"lang":"en","source":"App","conversationId":"1234567890123456789","author":{"id":"12345678","username":"some_user_1",` +
	`"name":"Some User","description":"Writes about things, and about others","followersCount":12345,"followingCount":321,"tweetCount":99999,` +
	`"verified":false,"location":"Berlin","createdAt":1300000000000,"profileImageUrl":"https://img.example/12345678/normal.jpg","observedAt":1700000001000},` +
	`"hashtags":["Berlin"],"mentions":[{"username":"someone","id":"87654321"}],"urls":[{"url":"https://t.co/abcdefghij",` +
	`"expandedUrl":"https://www.example.com/path/to/article?x=1","title":"An article"}],"metrics":{"likes":12,"retweets":3,"replies":1,"quotes":0,` +
	`"bookmarks":2,"impressions":4711},"references":[{"type":"RETWEETED","id":"1234567890123456000"}],"observedAt":1700000001000}`

func BenchmarkReadTweet(b *testing.B) {
	read := func(b *testing.B, read func() error) {
		b.ReportAllocs()
		for b.Loop() {
			if err := read(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("decoder", func(b *testing.B) {
		read(b, func() error { return schema.Decode([]byte(storedTweet), new(schema.Tweet)) })
	})
	for name, parts := range map[string]schema.Parts{"all": schema.AllParts, "id": schema.PartsOf("id"), "some": schema.PartsOf("text", "createdAt", "author", "hashtags", "metrics")} {
		b.Run(name, func(b *testing.B) {
			read(b, func() error { _, err := schema.ReadTweet(storedTweet, parts); return err })
		})
	}
}
