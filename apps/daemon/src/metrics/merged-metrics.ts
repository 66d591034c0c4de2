import type { Registry } from 'prom-client';
import { AggregatorRegistry } from 'prom-client';

import type { ScrapedMetrics } from '../workers/messages.js';

/** What Node tells of the whole process, whichever thread asks it. */
const processPrefix = 'process_';

/** Metrics of a worker leave out what the main thread tells of the process. */
export function keepThreadMetrics(registry: Registry): void {
  for (const { name } of registry.getMetricsAsArray()) {
    if (name.startsWith(processPrefix)) registry.removeSingleMetric(name);
  }
}

/** How one series of all threads comes from theirs: as its metric says, except for those of prom-client itself. */
function aggregatorOf({ name, aggregator }: ScrapedMetrics[number]): ScrapedMetrics[number]['aggregator'] {
  // It would leave the start time out.
  if (name.startsWith(processPrefix)) return 'first';
  // An average over threads would hide the one that hangs.
  if (name.startsWith('nodejs_eventloop_lag')) return 'max';
  return aggregator;
}

/** One text of what several threads tell. @param threads the main thread first */
export function mergedMetrics(threads: readonly ScrapedMetrics[]): Promise<string> {
  const told = threads.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric) })));
  return AggregatorRegistry.aggregate(told).metrics();
}
