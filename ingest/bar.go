package ingest

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"visualizer/ingest/source"
)

// sized is a source that knows how much there is to read.
type sized interface {
	Size() int64 // bytes; 0 when unknown
	Read() int64 // bytes read so far
}

// bar shows how far the files have been read. A nil bar shows nothing.
type bar struct {
	shown   *progressbar.ProgressBar
	sources []sized
	mu      sync.Mutex
	next    time.Time
}

// barEvery is often enough for an eye.
const barEvery = 100 * time.Millisecond

// newBar returns a bar over sources, or nil when there is nowhere to draw it
// or not every source has an end.
func newBar(w io.Writer, sources []source.Source) *bar {
	if w == nil {
		return nil
	}
	b := &bar{}
	var total int64
	for _, src := range sources {
		s, ok := src.(sized)
		if !ok || s.Size() == 0 {
			return nil
		}
		total += s.Size()
		b.sources = append(b.sources, s)
	}
	b.shown = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(barEvery),
		progressbar.OptionClearOnFinish())
	return b
}

func (b *bar) update() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Now().Before(b.next) {
		return
	}
	b.next = time.Now().Add(barEvery)
	var n int64
	for _, s := range b.sources {
		n += s.Read()
	}
	b.shown.Set64(n)
}

// Close removes the bar.
func (b *bar) Close() error {
	if b == nil {
		return nil
	}
	if err := b.shown.Finish(); err != nil {
		return fmt.Errorf("remove the progress bar: %w", err)
	}
	return nil
}
