import { setTimeout as sleep } from 'node:timers/promises';

import { diag, DiagLogLevel } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Sampler } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

import type { Logger } from '../../logging/logger.js';
import type { Sampling, Tracing, TracingSettings } from '../tracing.js';
import { hearOf } from './hear-of.js';
import { OtelTracer } from './otel-tracer.js';

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
  const ears = hearOf(logger);
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
  // What could not be handed over is lost, and has been told.
  await Promise.race([provider.shutdown().catch(() => undefined), late]);
  patience.abort();
}
