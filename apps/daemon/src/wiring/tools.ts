import type { Environment } from '#contracts';
import type { Logger, Tracing } from '#platform';
import { LocalWake } from '#platform';

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
  environment: Environment,
  programs: ProgramsHolder,
  logger: Logger,
): Promise<OpenTools> {
  const { tracer, ...tracing } = await startTracing(environment, logger);
  const tools = { wake: new LocalWake(), logger, metrics: createMetrics(environment), programs, tracer };
  return { tools, tracing };
}
