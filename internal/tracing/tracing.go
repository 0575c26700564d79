package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"visualizer/internal/cli"
)

const (
	// stopTime bounds how long the last spans may take to be sent.
	stopTime = time.Second
	// toldEvery is how often one is told that spans can't be sent.
	toldEvery = time.Minute
	// tracesPath is where a collector takes traces, below its endpoint.
	tracesPath = "v1/traces"
)

// Tracing sends spans. The zero value makes none.
type Tracing struct {
	provider *sdk.TracerProvider
	log      *slog.Logger
}

// Start returns what sends the spans of a service. Without --otlp-endpoint and
// the standard variables for one it makes none. A collector that is away costs
// spans and no more: what waits for it is bounded.
func Start(ctx context.Context, cfg cli.Traces, service string, log *slog.Logger) (*Tracing, error) {
	if cfg.OTLPEndpoint == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return &Tracing{}, nil
	}
	var options []otlptracehttp.Option // without one the exporter reads the variables
	if cfg.OTLPEndpoint != "" {
		traces, err := url.JoinPath(cfg.OTLPEndpoint, tracesPath)
		if err != nil {
			return nil, fmt.Errorf("read --otlp-endpoint: %w", err)
		}
		options = append(options, otlptracehttp.WithEndpointURL(traces))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("open the traces' exporter: %w", err)
	}
	of, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(attribute.String("service.name", service)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the service to the collector: read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	sometimes := rate.Sometimes{Interval: toldEvery}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		sometimes.Do(func() { log.Warn("send traces", "err", err) })
	}))
	return &Tracing{log: log, provider: sdk.NewTracerProvider(
		sdk.WithBatcher(exporter), sdk.WithResource(of),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(cfg.TraceRatio))),
	)}, nil
}

// Tracer returns the tracer of a part of the program, nil when no spans are
// made.
func (t *Tracing) Tracer(part string) trace.Tracer {
	if t.provider == nil {
		return nil
	}
	return t.provider.Tracer(part)
}

// Close sends what waits, for a second at most.
func (t *Tracing) Close() {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("send the last traces", "err", err)
	}
}
