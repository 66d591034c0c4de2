import type { Tracer } from './tracer.js';

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

export interface Tracing {
  readonly tracer: Tracer;
  /** Hands over what is left, as far as that goes in so many milliseconds. Never rejects. */
  close(timeoutMs: number): Promise<void>;
}
