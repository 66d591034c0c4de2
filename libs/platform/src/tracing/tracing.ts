/** Values of a span's attributes. Never a secret, never a personal value: no member, no body, no message. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** What begins a span. Times are epoch milliseconds of the caller's clock. */
export interface SpanBegin {
  readonly name: string;
  readonly kind: 'consumer' | 'client' | 'internal';
  /** W3C traceparent that it continues; null: a trace of its own. */
  readonly parent: string | null;
  /** W3C traceparents that have to do with it. */
  readonly links?: readonly string[];
  readonly attributes: SpanAttributes;
  readonly at: number;
}

/** A span under way. */
export interface Span {
  /** W3C traceparent for what continues it; null when nothing is traced. */
  readonly traceparent: string | null;
  /** 32 hex digits; null when nothing is traced. */
  readonly traceId: string | null;
  event(name: string, attributes: SpanAttributes, at: number): void;
  /** `isError`: the work did not come to what it was for. */
  end(at: number, result?: { readonly attributes?: SpanAttributes; readonly isError?: boolean }): void;
}

/**
 * Reports to a tracing system how work went (design.md section 2, one way through the house). Never throws, never
 * waits. Where `isOn` is false a caller makes nothing up for it.
 */
export interface Tracer {
  readonly isOn: boolean;
  begin(span: SpanBegin): Span;
}

/** The span of those who trace nothing. */
export const noSpan: Span = { traceparent: null, traceId: null, event: () => undefined, end: () => undefined };

/** Traces nothing and costs nothing. */
export const noTracer: Tracer = { isOn: false, begin: () => noSpan };

/** Which part of the traces is kept: `OTEL_TRACES_SAMPLER` and its argument. */
export interface Sampling {
  readonly kind: 'always-on' | 'always-off' | 'ratio';
  /** 0 to 1; of the traces that begin here. */
  readonly ratio: number;
  /** What came with a trace is kept as its beginning was. */
  readonly isParentBased: boolean;
}

export interface TracingSettings {
  /** Where traces go, OTLP over HTTP, JSON. */
  readonly url: string;
  /** Asked at each export, so that a renewed secret is used. Must not throw. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly sampling: Sampling;
  /** Attributes of this process, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>;
}

export abstract class Tracing {
  abstract readonly tracer: Tracer;
  /** Sends what is left, as far as that goes in so many milliseconds. Never rejects. */
  abstract close(timeoutMs: number): Promise<void>;
}
