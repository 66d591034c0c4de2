import type { SandboxMeasureName } from '../run-sandbox-rounds.js';
import type { SandboxBarReport, SandboxMeasureReport } from './sandbox-bench-report.js';

/** So that the sandbox never hides the daemon's own speed. */
const transactionsPerSecondMin = 5_000;
const halfLoadP99MsMax = 20;

/** Judges the medians. What was not measured holds nothing. */
export const barsOf = (measures: readonly SandboxMeasureReport[]): readonly SandboxBarReport[] => {
  const find = (name: SandboxMeasureName): SandboxMeasureReport | undefined =>
    measures.find((measure) => measure.name === name);
  const rate = find('transaction')?.rate.median ?? NaN;
  const p99 = find('half')?.latencyMs.p99.median ?? NaN;
  return [
    {
      text: 'transactions/s at least',
      bar: transactionsPerSecondMin,
      reached: rate,
      holds: rate >= transactionsPerSecondMin,
    },
    { text: 'p99 at half load below, ms', bar: halfLoadP99MsMax, reached: p99, holds: p99 < halfLoadP99MsMax },
  ];
};
