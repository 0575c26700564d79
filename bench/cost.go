package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/google/pprof/profile"

	"visualizer/bench/report"
)

// costs is what measurements of ingest found besides the rate.
type costs struct {
	profiles []byteProfile
	tweets   []int
	rates    report.Sample
	redis    report.Sample // µs a tweet
	plain    report.Sample // of plain JSON.SET
	peaks    report.Sample // MB
}

type byteProfile = map[string]float64 // seconds by part

func (c *costs) add(str *stream, rate, redis, peak float64) {
	c.tweets = append(c.tweets, str.tweets)
	c.rates = append(c.rates, rate)
	c.redis = append(c.redis, 1e6*redis/float64(str.tweets))
	c.peaks = append(c.peaks, peak)
}

// rows tells what a tweet costs, by part.
func (c *costs) rows(s *session, day string) {
	row := func(question, unit string, answer report.Sample) {
		s.row(report.Row{Target: "B6", Question: day + ", " + question, A: "ingest", Answer: answer, Unit: unit})
	}
	sum := make(report.Sample, len(c.profiles))
	for _, name := range partNames() {
		var part report.Sample
		for i, p := range c.profiles {
			part = append(part, 1e6*p[name]/float64(c.tweets[i]))
			sum[i] += part[i]
		}
		row("CPU a tweet: "+name, "µs", part)
	}
	row("CPU a tweet: the program and the broker in it", "µs", sum)
	row("CPU a tweet: Redis", "µs", c.redis)
	s.row(report.Row{Target: "B6", Question: day + ", CPU a tweet: Redis", A: "JSON.SET", Answer: c.plain, Unit: "µs"})
	row("most memory of the program, the broker and the stream's lines in it", "MB", c.peaks)
}

// part is a part of the line, with functions that stand for it.
type part struct {
	name string
	in   []string
}

// parts are looked for from the innermost call outwards; the first that is found
// has the time.
func parts() []part {
	return []part{
		{"take it from the source and decode", []string{"visualizer/ingest/source."}},
		{"plan", []string{"visualizer/ingest.decide", "schema.(*Document).SetIndex"}},
		{"read and write in Redis", []string{"visualizer/ingest.(*lane)", "rueidis."}},
		{"take it from JetStream", []string{"visualizer/ingest.(*Writer).open"}},
		{"publish", []string{"visualizer/ingest.(*Publisher)"}},
		{"JetStream", []string{"nats-server", "nats-io/nats.go"}},
		{"collect garbage", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}},
	}
}

const otherPart = "anything else"

func partNames() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return append(names, otherPart)
}

// profiling is a CPU profile of this process that is being taken.
type profiling struct {
	data bytes.Buffer
	peak float64 // MB of memory, once it has ended
	err  error
}

func startProfile() *profiling {
	runtime.GC()
	p := new(profiling)
	// Where the kernel can't forget the peak, that of the whole run is told.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	p.err = pprof.StartCPUProfile(&p.data)
	return p
}

// stop ends it and adds what each part took.
func (p *profiling) stop(to *[]byteProfile) error {
	if p.err != nil {
		return fmt.Errorf("profile: %w", p.err)
	}
	pprof.StopCPUProfile()
	var kb float64
	if _, err := fmt.Sscan(strings.TrimSuffix(field("/proc/self/status", "VmHWM", "0 kB"), " kB"), &kb); err == nil {
		p.peak = kb / 1024
	}
	if to == nil {
		return nil
	}
	parsed, err := profile.Parse(&p.data)
	if err != nil {
		return fmt.Errorf("read the profile: %w", err)
	}
	if len(parsed.SampleType) != 2 {
		return errors.New("read the profile: it does not tell CPU time")
	}
	seconds := byteProfile{}
	for _, sample := range parsed.Sample {
		seconds[partOf(sample)] += float64(sample.Value[1]) / 1e9
	}
	*to = append(*to, seconds)
	return nil
}

// partOf returns the part that a sample's innermost known function belongs to.
func partOf(sample *profile.Sample) string {
	for _, at := range sample.Location {
		for _, line := range at.Line {
			for _, p := range parts() {
				for _, in := range p.in {
					if strings.Contains(line.Function.Name, in) {
						return p.name
					}
				}
			}
		}
	}
	return otherPart
}
