package stack

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// natsLog passes the server's log on. Its notices tell little to who runs
// Visualizer, and its errors don't end this process: so they are debug lines and
// warnings here.
type natsLog struct {
	log *slog.Logger
	mu  sync.Mutex
	end string // the fatal error: the server has given up
}

func (l *natsLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *natsLog) Debugf(format string, v ...any)  { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *natsLog) Tracef(format string, v ...any)  { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *natsLog) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l *natsLog) Errorf(format string, v ...any)  { l.log.Warn(fmt.Sprintf(format, v...)) }

// Fatalf only keeps the error, which then is one of Start.
func (l *natsLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = fmt.Sprintf(format, v...)
}

func (l *natsLog) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == "" {
		return nil
	}
	return errors.New(l.end)
}
