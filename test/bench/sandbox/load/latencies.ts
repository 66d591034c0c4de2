import type { Latencies } from './load-job.js';

/** The smallest value that at least `share` of the sorted ones do not exceed. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;

export const latenciesOf = (valuesMs: readonly number[]): Latencies => {
  const sorted = Float64Array.from(valuesMs).sort();
  const values = Array.from(sorted);
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), max: quantile(values, 1) };
};
