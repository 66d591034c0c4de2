import type { Span, SpanAttributes, SpanBegin, Tracer } from '#platform';

/** A span that was begun, and what became of it. */
export interface RecordedSpan extends SpanBegin {
  readonly traceparent: string;
  readonly events: (readonly [string, SpanAttributes])[];
  ended?: { readonly at: number; readonly attributes?: SpanAttributes; readonly isError?: boolean };
}

const traceId = 'c'.repeat(32);
const spanIdDigits = 16;

/** A tracer that keeps what it is told. */
export class RecordingTracer implements Tracer {
  readonly isOn = true;
  readonly spans: RecordedSpan[] = [];

  begin(begin: SpanBegin): Span {
    const traceparent = `00-${traceId}-${String(this.spans.length + 1).padStart(spanIdDigits, '0')}-01`;
    const span: RecordedSpan = { ...begin, traceparent, events: [] };
    this.spans.push(span);
    return {
      traceparent,
      traceId,
      event: (name, attributes) => void span.events.push([name, attributes]),
      end: (at, result) => void (span.ended = { at, ...result }),
    };
  }
}
