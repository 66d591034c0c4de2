import { median, rounded, spreadOf } from '../../statistics.js';
import type { MeasuredLoad } from '../load-generator.js';
import { listPageSize } from '../load/requests.js';
import { measureNames, type SandboxMeasureName, type SandboxRounds } from '../run-sandbox-rounds.js';
import type { SandboxMeasureReport } from './sandbox-bench-report.js';

const labels: Readonly<Record<SandboxMeasureName, string>> = {
  transaction: 'transactions, closed loop',
  half: 'transactions, half of that rate',
  issue: 'issues',
  lookup: 'lookups',
  reward: 'rewards',
  list: `pages of ${listPageSize} passes`,
};

const middle = (values: readonly number[]): number => rounded(median(values));

const middleKnown = (values: readonly (number | null)[]): number | null => {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : middle(known);
};

const describe = (name: SandboxMeasureName, loads: readonly MeasuredLoad[]): SandboxMeasureReport => ({
  name,
  label: labels[name],
  rate: spreadOf(loads.map(({ done, seconds }) => done / seconds)),
  latencyMs: {
    p50: spreadOf(loads.map(({ latencyMs }) => latencyMs.p50)),
    p99: spreadOf(loads.map(({ latencyMs }) => latencyMs.p99)),
    max: spreadOf(loads.map(({ latencyMs }) => latencyMs.max)),
  },
  cores: {
    sandbox: middleKnown(loads.map(({ cores }) => cores.sandbox)),
    postgres: middleKnown(loads.map(({ cores }) => cores.postgres)),
    generator: middle(loads.map(({ cores }) => cores.generator)),
    machine: middle(loads.map(({ cores }) => cores.machine)),
  },
});

/** Turns rounds into figures: medians over the rounds, with their spread. */
export const describeMeasures = (rounds: SandboxRounds): readonly SandboxMeasureReport[] =>
  measureNames.map((name) =>
    describe(
      name,
      rounds.map((round) => round[name]),
    ),
  );
