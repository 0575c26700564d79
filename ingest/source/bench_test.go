package source

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// benchLine returns a line of the sample stream as most tweets are: 1.2 kB
// with entities, metrics and the author.
func benchLine() []byte {
	return []byte(`{"data":{"id":"1635573202396643335","text":"Low tide soon #KelpWatch with @obellwether https://t.example/x1 and a few more words so that it is as long as most","edit_history_tweet_ids":["1635573202396643335"],"author_id":"9900000101","created_at":"2023-03-14T09:26:53.000Z","lang":"en","possibly_sensitive":false,"conversation_id":"1635573202396643335","public_metrics":{"retweet_count":1,"reply_count":2,"like_count":3,"quote_count":0,"bookmark_count":0,"impression_count":44},"entities":{"hashtags":[{"start":14,"end":24,"tag":"KelpWatch"}],"mentions":[{"start":30,"end":42,"username":"obellwether","id":"9900000102"}],"urls":[{"start":43,"end":63,"url":"https://t.example/x1","expanded_url":"https://tides.example/today","display_url":"tides.example/today"}]}},"includes":{"users":[{"id":"9900000101","name":"Mira Vantroy","username":"mira_vantroy","created_at":"2019-02-03T04:05:06.000Z","verified":false,"description":"tide tables &amp; kelp","location":"Port Quillon","public_metrics":{"followers_count":321,"following_count":45,"tweet_count":678,"listed_count":9},"profile_image_url":"https://img.example/a.jpg"}]}}` + "\r\n")
}

// How long does one tweet of the sample stream take, from a line to an event?
func BenchmarkDecode(b *testing.B) {
	line := bytes.TrimSpace(benchLine())
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if events, _ := Decode(line, nil); len(events) != 1 {
			b.Fatal(len(events))
		}
	}
}

// What does finding the end of a value add to decoding it?
func BenchmarkRecords(b *testing.B) {
	line := benchLine()
	b.SetBytes(int64(len(line)))
	rec := newRecords(&endless{line: line})
	for b.Loop() {
		if rec.next() != nil || rec.value == nil {
			b.Fatal("no value")
		}
	}
}

// endless is a stream of one line again and again.
type endless struct {
	line []byte
	rest []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = e.line
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// How many tweets a second come out of a twarc2 page of 4,500 in 2 MB?
func BenchmarkPage(b *testing.B) {
	data, err := os.ReadFile(casesDir + "/26_line_2MB.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	n := 0
	for b.Loop() {
		for range NewReader("page", bytes.NewReader(data)).Events(context.Background()) {
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tweets/s")
}
