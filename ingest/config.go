package ingest

import (
	"io"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"visualizer/ingest/source"
)

// Config is what the service needs. The caller has checked it.
type Config struct {
	// Sources are read side by side until each has ended.
	Sources []source.Source
	// Rate bounds how many tweets a second are taken of all sources together
	// that don't pace themselves; 0 is no bound.
	Rate float64

	RedisURL    string
	NATSURL     string
	NATSOptions []nats.Option // beside the URL; for a server in this process

	// Stay keeps the service on the line when its sources have ended, storing
	// what others publish.
	Stay bool
	// NewRun begins a new run of the line even when another service seems to
	// be in one.
	NewRun bool

	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Tracer makes the spans of messages, from their source to Redis; nil makes
	// none.
	Tracer trace.Tracer
	// Bar is where a progress bar is drawn, or nil for none.
	Bar io.Writer
	// Summary gets the closing line of totals, or nil for none.
	Summary io.Writer

	// Published, if set, sees each message before it is sent, and again when
	// JetStream has acked it.
	Published func(batch []byte, acked bool)
}
