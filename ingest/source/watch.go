package source

import "io"

// watch calls silent when waiting for a byte takes longer than silence. Only
// the waiting counts: a consumer of the events may take its time.
type watch struct {
	clock  Clock
	silent func()
}

// start begins to wait; the function it returns ends that.
func (w *watch) start() (stop func() bool) {
	return w.clock.AfterFunc(silence, w.silent)
}

// reader watches each Read of r.
func (w *watch) reader(r io.Reader) io.Reader { return watchedReader{w, r} }

type watchedReader struct {
	w *watch
	r io.Reader
}

func (r watchedReader) Read(p []byte) (int, error) {
	defer r.w.start()()
	return r.r.Read(p)
}
