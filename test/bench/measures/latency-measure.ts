import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { Undo } from '../../support/process/program.js';
import type { LatencyPlan } from '../bench-plan.js';
import { machineMs } from '../child.js';
import type { BenchDaemon, InstallationOptions } from '../infrastructure/bench-installation.js';
import {
  installationDatabase,
  openInstallation,
  recommendedNodeOptions,
  together,
} from '../infrastructure/bench-installation.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import { awaitApplied, EventFeeder, runOpenLoop } from '../infrastructure/load.js';
import { treeCpuSeconds } from '../infrastructure/process-times.js';
import type { BarReport, Budget, FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeRounds } from '../report/judge.js';
import { readLayers } from '../report/layers.js';
import { percentile, rounded, spreadOf } from '../statistics.js';
import type { PartnerStub } from '../stub/start-stub.js';
import type { MeasureTools } from './measure.js';

/** Events a second, whatever the machine can do; the bars are about it. */
const fixedRate = 300;
/** Of the capacity that the run finds. */
const loads = [0.1, 0.5, 0.9];
/** One burst to warm up, one that counts. */
const bursts = 2;

export const columns = [
  'events/s',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'max ms',
  'from when due, p99 ms',
  'in Kafka p50 ms',
  'daemon CPU ms',
  'Postgres CPU ms',
  'transactions',
];

const notes = [
  "From the broker's acknowledgement of an event until the partner stub had read its call; `from when due` from when it was to be produced: one that was produced late counts with its delay.",
  `One daemon process with all roles and NODE_OPTIONS="${recommendedNodeOptions.join(' ')}"; the rates are evenly spaced and never wait for an answer.`,
  'In Kafka: from when an event was due until the broker had acknowledged it. CPU: processor time of one event.',
  'Transactions: of Postgres, for one event. The next limit is how few events there are: ingest, claim and group commit each find one or two at a time, and these few pay for the round trips, the wake-ups of processes and the commits that some hundred share under load. Waiting for more of them would cost p50.',
];

export interface LatencyParts {
  readonly stub: PartnerStub;
  readonly feeder: EventFeeder;
  readonly postgres: BenchPostgres;
  readonly daemons: readonly Pick<BenchDaemon, 'pid' | 'operations'>[];
  readonly plan: LatencyPlan;
  readonly secondsMax: number;
}

export const awaitAll = ({ stub, feeder, plan, secondsMax }: LatencyParts): Promise<void> =>
  awaitApplied(stub, plan.members + feeder.produced, secondsMax * 1_000);

/** Events per second that arrive while a burst waits in Kafka: from its first arrival to its last. */
const findCapacity = async (parts: LatencyParts): Promise<number> => {
  let capacity = 0;
  for (let burst = 0; burst < bursts; burst += 1) {
    await parts.feeder.produce(parts.plan.burst);
    await awaitAll(parts);
    const arrivals = (await parts.stub.arrivals()).map(([, at]) => at);
    const seconds = ((arrivals.at(-1) ?? NaN) - (arrivals[0] ?? NaN)) / 1_000;
    capacity = arrivals.length / seconds;
  }
  return capacity;
};

/** Processor time so far of the daemon and of Postgres, milliseconds, and its transactions; NaN where one cannot tell. */
export const used = async ({
  postgres,
  daemons,
}: Pick<LatencyParts, 'postgres' | 'daemons'>): Promise<readonly number[]> => {
  const seconds = await Promise.all(daemons.map(async ({ pid }) => (await treeCpuSeconds(pid)) ?? NaN));
  return [
    1_000 * seconds.reduce((sum, each) => sum + each, 0),
    1_000 * ((await postgres.cpuSeconds()) ?? NaN),
    await postgres.transactions(installationDatabase),
  ];
};

/** The values of one run at a rate, by `columns`. */
export const measureRate = async (parts: LatencyParts, rate: number): Promise<number[]> => {
  const { feeder, stub, plan } = parts;
  const before = await used(parts);
  const loop = await runOpenLoop(feeder, { rate, seconds: plan.seconds });
  await awaitAll(parts);
  const after = await used(parts);
  const arrivals = new Map(await stub.arrivals());
  const since = (from: (index: number) => number): number[] =>
    Array.from({ length: loop.count }, (_, index) => {
      return (arrivals.get(feeder.receiptOf(loop.first + index)) ?? NaN) - from(index);
    });
  const latencies = since(loop.acknowledgedAt);
  return [
    rate,
    ...[0.5, 0.95, 0.99, 1].map((each) => percentile(latencies, each)),
    percentile(since(loop.dueAt), 0.99),
    percentile(loop.producedMs, 0.5),
    ...after.map((value, index) => (value - (before[index] ?? NaN)) / loop.count),
  ];
};

const rowOf = (label: string, values: readonly number[]): FiguresRow => ({ label, values: values.map(rounded) });

/** Median, least and most of several runs, column by column. */
const rowsOfRounds = (rounds: readonly (readonly number[])[]): FiguresRow[] => {
  const spreads = columns.map((_, column) => spreadOf(rounds.map((values) => values[column] ?? NaN)));
  return [
    rowOf(
      `fixed rate, median of ${rounds.length}`,
      spreads.map(({ median }) => median),
    ),
    rowOf(
      'fixed rate, least',
      spreads.map(({ min }) => min),
    ),
    rowOf(
      'fixed rate, most',
      spreads.map(({ max }) => max),
    ),
  ];
};

const barsOf = (rounds: readonly (readonly number[])[]): BarReport[] => {
  const valuesOf = (...heads: readonly string[]): number[] =>
    rounds.map((values) => heads.reduce((sum, head) => sum + (values[columns.indexOf(head)] ?? NaN), 0));
  const at = `at ${fixedRate} events/s`;
  return [
    judgeRounds({ text: `acknowledged to applied: p50 <= 10 ms ${at}`, atMost: 10 }, valuesOf('p50 ms')),
    judgeRounds({ text: `acknowledged to applied: p99 <= 40 ms ${at}`, atMost: 40 }, valuesOf('p99 ms')),
    judgeRounds(
      { text: `<= 2 ms of processor time of daemon and Postgres an event ${at}`, atMost: 2 },
      valuesOf('daemon CPU ms', 'Postgres CPU ms'),
    ),
  ];
};

/** A daemon that has delivered what it found. */
export const openParts = async (
  tools: MeasureTools,
  undo: Undo,
  options: InstallationOptions = {},
): Promise<LatencyParts> => {
  const { plan, postgres, say } = tools;
  say(`latency: starting a daemon, ${(options.roles ?? together).join(' | ')}`);
  const { broker, purchases, stub, daemons } = await openInstallation(tools, plan.latency.members, undo, options);
  const feeder = await EventFeeder.connect(broker, purchases, plan.latency.members);
  undo.add(() => feeder.stop());
  const secondsMax = plan.roundSecondsMax;
  const parts = { stub, feeder, postgres, daemons, plan: plan.latency, secondsMax };
  await awaitAll(parts);
  await stub.arrivals();
  return parts;
};

const profileName = 'daemon.cpuprofile';

/** At the fixed rate, by a profile of another daemon: it slows down what it looks at. */
const findLayers = async (tools: MeasureTools): Promise<Budget['layers']> => {
  const outer = new Undo();
  return outer.after(async () => {
    const folder = tools.profileFolder ?? (await mkdtemp(join(tmpdir(), 'loyaltyd-bench-')));
    if (tools.profileFolder === null) outer.add(() => rm(folder, { recursive: true, force: true }));
    const undo = new Undo();
    const warmAt = await undo.after(async () => {
      const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`, `--cpu-prof-name=${profileName}`];
      const parts = await openParts(tools, undo, { nodeFlags });
      await measureRate(parts, fixedRate);
      const from = machineMs();
      await measureRate(parts, fixedRate);
      return from;
    });
    return readLayers(join(folder, profileName), warmAt);
  });
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<Omit<FiguresReport, 'budget'>> => {
  const { plan, say } = tools;
  const parts = await openParts(tools, undo);
  const capacity = await findCapacity(parts);
  const rounds: number[][] = [];
  for (let round = 1; round <= plan.latency.rounds; round += 1) {
    say(`latency: ${plan.latency.seconds} s at ${fixedRate} events/s, round ${round} of ${plan.latency.rounds}`);
    rounds.push(await measureRate(parts, fixedRate));
  }
  const rows = rowsOfRounds(rounds);
  for (const share of loads) {
    say(`latency: ${plan.latency.seconds} s at ${share * 100} % of ${Math.round(capacity)} events/s`);
    rows.push(rowOf(`${share * 100} % of capacity`, await measureRate(parts, share * capacity)));
  }
  const found = `Capacity of this run: ${Math.round(capacity)} events/s, the second burst of ${plan.latency.burst}.`;
  const bars = barsOf(rounds);
  return { kind: 'figures', name: 'latency', unit: 'end to end', columns, rows, bars, notes: [...notes, found] };
};

/** From Kafka to the partner, through one real daemon. */
export const latencyMeasure = async (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  const report = await undo.after(() => measure(tools, undo));
  const daemonMs = report.rows[0]?.values[columns.indexOf('daemon CPU ms')] ?? NaN;
  const layers = await findLayers(tools);
  return { ...report, budget: { label: 'loyaltyd', microsecondsPerUnit: 1_000 * daemonMs, layers } };
};
