import { percentile } from '../../statistics.js';
import type { Latencies } from './load-job.js';

export const latenciesOf = (valuesMs: readonly number[]): Latencies => ({
  p50: percentile(valuesMs, 0.5),
  p99: percentile(valuesMs, 0.99),
  max: percentile(valuesMs, 1),
});
