package load_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/rueidis"
	"go.uber.org/goleak"

	"visualizer/bench/load"
	"visualizer/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestLoad: what is told of the data is what Redis finds, and two loads are the
// same, the smaller one being the beginning of the larger.
func TestLoad(t *testing.T) {
	const few, many = 600, 900 // no multiples of a pipeline
	a, b := start(t, few), start(t, many)
	for _, d := range []*load.Data{a, b} {
		if n, err := d.Count(t.Context(), "*"); n != d.Size || err != nil {
			t.Errorf("%d tweets found, err %v; want %d", n, err, d.Size)
		}
		newest := ids(t, d, "FT.SEARCH", "tweets", "*", "SORTBY", "createdAt", "DESC", "LIMIT", "0", "10", "NOCONTENT")
		if diff := cmp.Diff(newest, d.Newest); diff != "" {
			t.Errorf("newest (-found +told):\n%s", diff)
		}
		if diff := cmp.Diff(located(t, d), d.Located); diff != "" {
			t.Errorf("usernames of tweets with a point (-found +told):\n%s", diff)
		}
		for _, share := range []float64{0.001, 0.1} {
			tag := d.Hashtag(share)
			n, err := d.Count(t.Context(), "@hashtags:{"+tag+"}")
			if n == 0 || n != d.Hashtags[tag] || err != nil {
				t.Errorf("#%s: %d found, err %v; told %d", tag, n, err, d.Hashtags[tag])
			}
		}
	}
	old := slices.IndexFunc(b.Sample, func(t *schema.Tweet) bool { return t.ID == a.Newest[0] })
	if diff := cmp.Diff(a.Sample, b.Sample[:old+1]); diff != "" || old != few-1 {
		t.Errorf("the smaller is not the beginning of the larger (-smaller +larger):\n%s", diff)
	}
}

// TestAddress: a program without unix sockets reaches the same tweets.
func TestAddress(t *testing.T) {
	d := start(t, 20)
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{d.Address}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if n, err := client.Do(t.Context(), client.B().Exists().Key(schema.TweetKey(d.Newest[0])).Build()).AsInt64(); n != 1 || err != nil {
		t.Errorf("%d keys, err %v; want the newest tweet", n, err)
	}
}

func start(t *testing.T, size int) *load.Data {
	t.Helper()
	loaded := make(chan int, size)
	d, err := load.New(t.Context(), load.Config{
		Size: size, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Progress: t.Output(),
		Loaded: func(n int) { loaded <- n },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	close(loaded)
	sum := 0
	for n := range loaded {
		sum += n
	}
	if sum != size {
		t.Errorf("told of %d loaded, want %d", sum, size)
	}
	return d
}

func ids(t *testing.T, d *load.Data, command string, args ...string) (list []string) {
	t.Helper()
	_, rows, err := d.Client.Do(t.Context(), d.Client.B().Arbitrary(command).Args(args...).Build()).AsFtSearch()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		list = append(list, row.Key[len(schema.TweetPrefix):])
	}
	return list
}

// located asks with the plain command.
func located(t *testing.T, d *load.Data) (list []string) {
	t.Helper()
	plain := d.Client.B().Arbitrary("FT.SEARCH").Args("tweets", "@hasGeo:{1}", "SORTBY", "username", "LIMIT", "0", "10").Build()
	_, rows, err := d.Client.Do(t.Context(), plain).AsFtSearch()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		list = append(list, row.Doc["username"])
	}
	return list
}
