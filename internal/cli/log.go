package cli

import (
	"io"
	"log/slog"

	"visualizer/internal/obs"
)

// Log is the settings of the log, to embed in those of a command.
type Log struct {
	LogLevel  string `help:"The least that is logged." enum:"debug,info,warn,error" default:"info"`
	LogFormat string `help:"How it is written." enum:"text,json" default:"text"`
}

// Logger returns the logger of these settings; it writes to w.
func (l Log) Logger(w io.Writer) (*slog.Logger, error) {
	log, err := obs.NewLogger(w, l.LogLevel, l.LogFormat)
	return log, Usage(err)
}
