package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"visualizer/ingest/source"
)

// simRate is the tweets a second of the simulator when nothing is said: about
// what the 1 % sample of X delivers.
const simRate = 50

// OpenSources returns the sources that arguments of --source name. rate is
// that of --rate, or nil. The caller reads them all, or none.
func OpenSources(args []string, rate *float64, x XFlags) ([]source.Source, error) {
	if err := once(args); err != nil {
		return nil, err
	}
	var sources []source.Source
	for _, arg := range args {
		opened, err := openSource(arg, rate, x)
		if err != nil {
			return nil, err
		}
		sources = append(sources, opened)
	}
	return sources, nil
}

func openSource(arg string, rate *float64, x XFlags) (source.Source, error) {
	switch arg {
	case "":
		return nil, badSource{errors.New("open source: its name is empty: give sim, - or a file")}
	case "sim":
		perSecond := float64(simRate)
		if rate != nil {
			perSecond = *rate
		}
		return newSimulator(perSecond), nil
	case sampleSource:
		return x.open(arg, source.SampleStream)
	case filteredSource:
		return x.open(arg, source.SearchStream)
	case "bluesky":
		return nil, badSource{fmt.Errorf("open source %s: this version reads sim, x, x:filtered, - and files: for a file of that name give ./%s", arg, arg)}
	}
	src, err := source.Open(arg)
	if err != nil {
		return nil, badSource{err}
	}
	return src, nil
}

// badSource is an input that can't be opened, which is bad usage.
type badSource struct{ error }

func (b badSource) Unwrap() error { return b.error }

// BadUsage marks the error for the exit code.
func (badSource) BadUsage() bool { return true }

// FileRate is the bound on tweets a second of sources that don't pace
// themselves; 0 is none.
func FileRate(rate *float64) float64 {
	if rate == nil {
		return 0
	}
	return *rate
}

// Terminal returns f when a person looks at it, else nil: a progress bar in a
// log file would be noise.
func Terminal(f *os.File) io.Writer {
	if term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}
