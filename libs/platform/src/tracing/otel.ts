import { setTimeout as sleep } from 'node:timers/promises';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type DiagLogger,
  type Link,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer as OtelApiTracer,
} from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { errorName } from '../errors.js';
import type { Logger } from '../logger.js';
import type { Sampling, Span, SpanAttributes, SpanBegin, Tracer, Tracing, TracingSettings } from './tracing.js';

/** A collector that is away is logged once in a while, not with every batch. */
const complaintPauseMs = 60_000;

/** What the SDK has to say, of which most could quote a value: only this is passed on. */
interface OtelLog {
  readonly exportFailed: (error: unknown) => void;
  readonly diagnostics: DiagLogger;
}

function codeOf(error: unknown): string | number | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? code : null;
}

/** Adds up what is logged once in a while. @returns the sum when it is time to log it, else null */
function addUp(monotonic: () => number): (count: number) => number | null {
  let loggedAt = -Infinity;
  let sum = 0;
  return (count) => {
    sum += count;
    if (monotonic() - loggedAt < complaintPauseMs) return null;
    const told = sum;
    loggedAt = monotonic();
    sum = 0;
    return told;
  };
}

/** Tells that spans were lost by names and numbers only: what a collector answers may quote what it was sent. */
export function logOf(logger: Logger, monotonic: () => number = () => performance.now()): OtelLog {
  const [addExports, addSpans] = [addUp(monotonic), addUp(monotonic)];
  const ignore = (): void => undefined;
  return {
    exportFailed: (error) => {
      const exports = addExports(1);
      if (exports === null) return;
      logger.warn({ error: errorName(error), code: codeOf(error), exports }, 'traces were not exported');
    },
    diagnostics: {
      ...{ verbose: ignore, debug: ignore, info: ignore, error: ignore },
      warn: (message) => {
        const dropped = /^Dropped (\d+) spans/.exec(message)?.[1];
        const spans = dropped === undefined ? null : addSpans(Number(dropped));
        if (spans !== null) logger.warn({ spans }, 'spans were dropped: more ended than were exported');
      },
    },
  };
}

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
class OtelTracer implements Tracer {
  readonly isOn = true;

  constructor(private readonly tracer: OtelApiTracer) {}

  begin({ name, kind, parent, links = [], attributes, at }: SpanBegin): Span {
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
    const linked = links.map((link): Link => ({ context: contextOf(link) }));
    const options = { kind: kinds[kind], attributes, links: linked, startTime: at };
    return new SpanOnOtel(this.tracer.startSpan(name, options, context));
  }
}

/** Spans that wait for their export; what comes beyond is dropped. Each is about 1 KiB. */
const spansWaitingMax = 4_096;
const spansPerExportMax = 512;
const exportDelayMs = 2_000;
/** Until the next export may begin although one is not answered. */
const exportTimeoutMs = 15_000;
/** All that waits, when the end comes, and what is under way already. */
const exportsAtOnceMax = spansWaitingMax / spansPerExportMax + 2;

function samplerOf({ kind, ratio, isParentBased }: Sampling): Sampler {
  const root = rootSampler(kind, ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(kind: Sampling['kind'], ratio: number): Sampler {
  switch (kind) {
    case 'always-on':
      return new AlwaysOnSampler();
    case 'always-off':
      return new AlwaysOffSampler();
    case 'ratio':
      return new TraceIdRatioBasedSampler(ratio);
  }
}

/** Starts the SDK. Loaded only where traces are wanted. What the settings do not say the exporter reads by itself. */
export function startOtel(settings: TracingSettings, logger: Logger): Tracing {
  const ears = logOf(logger);
  setGlobalErrorHandler(ears.exportFailed);
  diag.setLogger(ears.diagnostics, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({
    url: settings.url,
    headers: () => Promise.resolve(settings.headers()),
    concurrencyLimit: exportsAtOnceMax,
  });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: spansWaitingMax,
    maxExportBatchSize: spansPerExportMax,
    scheduledDelayMillis: exportDelayMs,
    exportTimeoutMillis: exportTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes(settings.resource),
    sampler: samplerOf(settings.sampling),
    spanProcessors: [processor],
  });
  const tracer = new OtelTracer(provider.getTracer('loyaltyd'));
  return { tracer, close: (timeoutMs) => closeWithin(provider, timeoutMs) };
}

async function closeWithin(provider: TracerProvider, timeoutMs: number): Promise<void> {
  const patience = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: patience.signal }).catch(() => undefined);
  // What could not be sent is lost, and was logged.
  await Promise.race([provider.shutdown().catch(() => undefined), late]);
  patience.abort();
}
