package sim

import (
	"bufio"
	"net/http/httptest"
	"testing"
	"time"
)

// What does one tweet cost the machine that a benchmark shares with the
// simulator? It must stay far below the cost of ingesting it.
func BenchmarkNext(b *testing.B) {
	for _, c := range []struct {
		name    string
		emitted func(Emission)
	}{{"plain", nil}, {"watched", func(Emission) {}}} {
		b.Run(c.name, func(b *testing.B) {
			o := DefaultOptions()
			o.Emitted = c.emitted
			w, line, at, size := NewWorldWith(1, o), []byte(nil), start, 0
			b.ReportAllocs()
			for b.Loop() {
				at = at.Add(time.Millisecond)
				line = w.Next(line[:0], at)
				size += len(line)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tweets/s")
			b.ReportMetric(float64(size)/float64(b.N), "bytes/tweet")
		})
	}
}

// How long does a newcomer wait for the world to be made?
func BenchmarkNewWorld(b *testing.B) {
	for b.Loop() {
		NewWorld(1)
	}
}

// How many tweets a second does the server deliver over loopback to a client
// that only looks for line ends?
func BenchmarkServer(b *testing.B) {
	web := httptest.NewServer(NewServer(Config{Seed: 1}))
	defer web.Close()
	res, err := web.Client().Get(web.URL + StreamPath)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	reader := bufio.NewReaderSize(res.Body, 1<<16)
	for b.Loop() {
		if _, err := reader.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
