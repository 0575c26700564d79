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
	b.shown = draw(w, "reading", total, progressbar.OptionShowBytes(true))
	return b
}

func draw(w io.Writer, what string, total int64, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append(more,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(barEvery),
		progressbar.OptionClearOnFinish())...)
}

// storingBar shows how much of what was read is still to be stored. Reading a
// file is much faster. A nil bar shows nothing.
type storingBar struct {
	w     io.Writer
	shown *progressbar.ProgressBar
	total uint64
}

func newStoringBar(w io.Writer) *storingBar {
	if w == nil {
		return nil
	}
	return &storingBar{w: w}
}

// left draws the bar with n batches left. The first call tells how many there
// are in all.
func (b *storingBar) left(n uint64) {
	if b == nil {
		return
	}
	if b.shown == nil {
		b.shown, b.total = draw(b.w, "storing", int64(n)), n
	}
	b.shown.Set64(int64(b.total - min(n, b.total)))
}

// Close removes the bar.
func (b *storingBar) Close() {
	if b != nil && b.shown != nil {
		b.shown.Finish()
	}
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
