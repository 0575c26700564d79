package ingest

import (
	"context"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Spans of a message: from its first event's arrival to JetStream's ack, and as
// its children from the pull to Redis, with a child for each transaction, and
// until it is on Redis' disk. None says what the tweets are.
const (
	spanPublish     = "publish tweets"
	spanStore       = "store tweets"
	spanTransaction = "write transaction"
	spanSync        = "sync tweets"
)

// tracer returns the configured tracer, or one that makes nothing.
func (c *Config) tracer() trace.Tracer {
	if c.Tracer == nil {
		return noop.Tracer{}
	}
	return c.Tracer
}

// startPublishing begins the span of a batch and puts it into the message's
// header, if it is recorded.
func startPublishing(tracer trace.Tracer, b *batch, events int) trace.Span {
	ctx, span := tracer.Start(context.Background(), spanPublish, trace.WithTimestamp(b.began), trace.WithSpanKind(trace.SpanKindProducer))
	if span.IsRecording() {
		span.SetAttributes(attribute.String("messaging.system", "nats"), attribute.String("messaging.destination.name", b.msg.Subject),
			attribute.String("messaging.message.id", b.id), attribute.Int("visualizer.events", events), attribute.Int("visualizer.tweets", b.tweets))
		b.msg.Header = nats.Header{}
		propagation.TraceContext{}.Inject(ctx, carrier(b.msg.Header))
	}
	return span
}

// carrier is a message's header as propagation reads and writes it.
func carrier(h nats.Header) propagation.HeaderCarrier {
	return propagation.HeaderCarrier(http.Header(h))
}

// startStoring begins the span of a message that was pulled. One that is not
// traced so far never is.
func startStoring(tracer trace.Tracer, msg jetstream.Msg) trace.Span {
	header := msg.Headers()
	if header == nil {
		return noop.Span{}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), carrier(header))
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return noop.Span{}
	}
	_, span := tracer.Start(ctx, spanStore, trace.WithSpanKind(trace.SpanKindConsumer))
	return span
}

// startTransaction begins the span of a transaction. It is a child of the first
// message in it that is traced, with links to the others.
func startTransaction(tracer trace.Tracer, parts []part) trace.Span {
	var first trace.Span = noop.Span{}
	var links []trace.Link
	events := 0
	for _, p := range parts {
		events += len(p.events)
		switch of := p.message.traced(); {
		case !of.IsSampled():
		case !first.SpanContext().IsSampled():
			first = p.message.span
		case !of.Equal(first.SpanContext()):
			links = append(links, trace.Link{SpanContext: of})
		}
	}
	return startChild(tracer, first, spanTransaction, trace.WithLinks(links...), trace.WithAttributes(attribute.Int("visualizer.events", events)))
}

// traced says which trace a message is in; a touch is of no message.
func (m *message) traced() trace.SpanContext {
	if m == nil || m.span == nil {
		return trace.SpanContext{}
	}
	return m.span.SpanContext()
}

// startChild begins a child of a span; of one that is not traced, none is.
func startChild(tracer trace.Tracer, parent trace.Span, name string, options ...trace.SpanStartOption) trace.Span {
	if !parent.SpanContext().IsSampled() {
		return noop.Span{}
	}
	_, span := tracer.Start(trace.ContextWithSpan(context.Background(), parent), name, options...)
	return span
}
