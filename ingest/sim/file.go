package sim

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// defaultRate is that of a 1 % sample.
const defaultRate = 50

// WriteFile writes n tweets, and what is delivered besides, as JSON lines that
// end with "\n". The first tweet is made at start, the others follow at rate
// tweets/s; 0 is 50.
func WriteFile(w io.Writer, world *World, n int, start time.Time, rate float64) error {
	if rate <= 0 {
		rate = defaultRate
	}
	end := world.lineEnd
	world.lineEnd = "\n"
	defer func() { world.lineEnd = end }()
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i := range n {
		at := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		line = world.Next(line[:0], at)
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write tweet %d of %d: %w", i+1, n, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the last tweets: %w", err)
	}
	return nil
}
