import type { Logger } from '../logging/logger.js';
import { noTracer } from './tracer.js';
import type { Tracing, TracingSettings } from './tracing.js';

/** Traces as the settings say. Without settings nothing of OpenTelemetry is loaded. */
export async function openTracing(settings: TracingSettings | null, logger: Logger): Promise<Tracing> {
  if (settings === null) return { tracer: noTracer, close: async () => undefined };
  const { startOtel } = await import('./otel/start-otel.js');
  return startOtel(settings, logger);
}
