import type { Link, Span as OtelSpan, SpanContext, Tracer as OtelApiTracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

import type { Span, SpanAttributes, SpanBegin, Tracer } from '../tracer.js';

const kinds = { consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

function contextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  // Of the flags only the first bit means something to us: kept or not.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

class SpanOnOtel implements Span {
  readonly traceparent: string;
  readonly traceId: string;

  constructor(private readonly span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  event(name: string, attributes: SpanAttributes, at: number): void {
    this.span.addEvent(name, attributes, at);
  }

  end(at: number, result: { readonly attributes?: SpanAttributes; readonly isError?: boolean } = {}): void {
    if (result.attributes !== undefined) this.span.setAttributes(result.attributes);
    if (result.isError === true) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end(at);
  }
}

/** Our port on OpenTelemetry's. */
export class OtelTracer implements Tracer {
  readonly isOn = true;

  constructor(private readonly tracer: OtelApiTracer) {}

  begin({ name, kind, parent, links = [], attributes, at }: SpanBegin): Span {
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
    const linked = links.map((link): Link => ({ context: contextOf(link) }));
    const options = { kind: kinds[kind], attributes, links: linked, startTime: at };
    return new SpanOnOtel(this.tracer.startSpan(name, options, context));
  }
}
