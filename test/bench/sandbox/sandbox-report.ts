import type { MachineReport } from '../../support/process/program.js';
import { alignColumns } from '../report/table.js';
import type { Spread } from '../statistics.js';
import { median, rounded, spreadOf } from '../statistics.js';
import { listPageSize } from './run-load.js';
import type { MeasuredLoad, SandboxMeasureName, SandboxRounds } from './sandbox-rounds.js';
import { measureNames } from './sandbox-rounds.js';

interface SandboxMeasureReport {
  readonly name: SandboxMeasureName;
  readonly label: string;
  /** Answers per second, each a 200. */
  readonly rate: Spread;
  /** `half`: from when a request was due. The others: from when it was sent, with every connection always waiting. */
  readonly latencyMs: { readonly p50: Spread; readonly p99: Spread; readonly max: Spread };
  /** Processors kept busy, medians; null where the system does not say. */
  readonly cores: {
    readonly sandbox: number | null;
    /** The sandbox's connections inside Postgres. */
    readonly postgres: number | null;
    readonly generator: number;
    /** Everything on the machine: what exceeds the sum of the others is Postgres' own work and strangers'. */
    readonly machine: number;
  };
}

interface SandboxBarReport {
  readonly text: string;
  readonly bar: number;
  readonly reached: number;
  readonly holds: boolean;
}

/** What `--json` prints. */
export interface SandboxBenchReport {
  /** Both bars hold. */
  readonly holds: boolean;
  readonly bars: readonly SandboxBarReport[];
  readonly measures: readonly SandboxMeasureReport[];
  readonly machine: MachineReport;
  readonly postgres: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<'seconds' | 'connections' | 'rounds' | 'passes', number>>;
  readonly startedAt: string;
  readonly seconds: number;
}

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

const number = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));
const range = ({ min, max }: Spread): string => `${number(min)} - ${number(max)}`;

const figures = ['/s', 'min - max', 'p50 ms', 'p99 ms', 'min - max', 'max ms'];
const head = ['', ...figures, 'sandbox', 'postgres', 'generator', 'machine'];

const row = ({ label, rate, latencyMs: { p50, p99, max }, cores }: SandboxMeasureReport): string[] => [
  label,
  number(rate.median),
  range(rate),
  number(p50.median),
  number(p99.median),
  range(p99),
  number(max.max),
  number(cores.sandbox),
  number(cores.postgres),
  number(cores.generator),
  number(cores.machine),
];

const barLine = ({ text, bar, reached, holds }: SandboxBarReport): string =>
  `  ${holds ? 'holds' : 'FAILS'}  ${text} ${number(bar)}: ${number(reached)}`;

/** The report for people. */
export const sandboxTableOf = ({ machine, postgres, settings, ...report }: SandboxBenchReport): string => {
  const { processor, cores, memoryGiB, system, node } = machine;
  const { rounds, seconds, connections, passes } = settings;
  return [
    `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`,
    `Postgres: ${Object.entries(postgres)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')}`,
    `${rounds} rounds of ${seconds} s, ${connections} connections, ${passes} passes; last columns: processors kept busy`,
    '',
    alignColumns([head, ...report.measures.map(row)]),
    ...report.bars.map(barLine),
    '',
    `${report.holds ? 'ok' : 'NOT ok'} after ${Math.round(report.seconds)} s`,
  ].join('\n');
};
