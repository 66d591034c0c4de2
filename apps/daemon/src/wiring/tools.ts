import type { Logger, Tracing } from '#platform';
import { LocalWake } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';
import type { ProgramsHolder } from '../programs/programs-holder.js';
import type { DeliveryTools } from './delivery.js';
import { createMetrics } from '../metrics/daemon-metrics.js';
import { startTracing } from './tracing.js';

/** What all parts of a process are given, and how to let go of its traces. */
export interface OpenTools {
  readonly tools: DeliveryTools & { readonly programs: ProgramsHolder };
  readonly tracing: Pick<Tracing, 'close'>;
}

export async function openTools(
  live: Pick<LiveEnvironment, 'current'>,
  programs: ProgramsHolder,
  logger: Logger,
): Promise<OpenTools> {
  const { tracer, ...tracing } = await startTracing(live, logger);
  const tools = { wake: new LocalWake(), logger, metrics: createMetrics(live.current), programs, tracer };
  return { tools, tracing };
}
