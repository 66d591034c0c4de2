import type { Logger } from '../logger.js';
import { noTracer, type Tracing, type TracingSettings } from './tracing.js';

/** Traces as the settings say. Without settings nothing of OpenTelemetry is loaded. */
export async function openTracing(settings: TracingSettings | null, logger: Logger): Promise<Tracing> {
  if (settings === null) return { tracer: noTracer, close: async () => undefined };
  const { startOtel } = await import('./otel.js');
  return startOtel(settings, logger);
}
