import type { Undo } from '../../support/process/program.js';
import type { LoadPlan } from '../bench-plan.js';
import type { MeasureTools } from '../measures/measure.js';
import { percentile } from '../statistics.js';
import type { PartnerStub } from '../stub/start-stub.js';
import type { BenchDaemon, InstallationOptions } from './bench-installation.js';
import { installationDatabase, openInstallation, together } from './bench-installation.js';
import type { BenchPostgres } from './bench-postgres.js';
import { awaitApplied, EventFeeder, runOpenLoop } from './load.js';
import { treeCpuSeconds } from './process-times.js';

/** Real daemons, and events for them at any rate. */
export interface DaemonLoad {
  readonly stub: PartnerStub;
  readonly feeder: EventFeeder;
  readonly postgres: BenchPostgres;
  readonly databaseUrl: string;
  readonly daemons: readonly Pick<BenchDaemon, 'pid' | 'operations'>[];
  readonly plan: LoadPlan;
  readonly secondsMax: number;
}

export const rateColumns = [
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

export const awaitAll = ({ stub, feeder, plan, secondsMax }: DaemonLoad): Promise<void> =>
  awaitApplied(stub, plan.members + feeder.produced, secondsMax * 1_000);

/** Processor time so far of the daemon and of Postgres, milliseconds, and its transactions; NaN where one cannot tell. */
export const used = async ({
  postgres,
  daemons,
}: Pick<DaemonLoad, 'postgres' | 'daemons'>): Promise<readonly number[]> => {
  const seconds = await Promise.all(daemons.map(async ({ pid }) => (await treeCpuSeconds(pid)) ?? NaN));
  return [
    1_000 * seconds.reduce((sum, each) => sum + each, 0),
    1_000 * ((await postgres.cpuSeconds()) ?? NaN),
    await postgres.transactions(installationDatabase),
  ];
};

/** Until the call was read by the partner: the values of one run at a rate, by `rateColumns`. */
export const measureRate = async (load: DaemonLoad, rate: number): Promise<number[]> => {
  const { feeder, stub, plan } = load;
  const before = await used(load);
  const loop = await runOpenLoop(feeder, { rate, seconds: plan.seconds });
  await awaitAll(load);
  const after = await used(load);
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

/** Daemons that have delivered what they found. */
export const openLoad = async (
  tools: MeasureTools,
  undo: Undo,
  { plan = tools.plan.load, ...options }: InstallationOptions & { readonly plan?: LoadPlan } = {},
): Promise<DaemonLoad> => {
  const { postgres, say } = tools;
  say(`starting a daemon, ${(options.roles ?? together).join(' | ')}`);
  const { broker, purchases, stub, daemons, databaseUrl } = await openInstallation(tools, plan.members, undo, options);
  const feeder = await EventFeeder.connect(broker, purchases, plan);
  undo.add(() => feeder.stop());
  const load = { stub, feeder, postgres, databaseUrl, daemons, plan, secondsMax: tools.plan.roundSecondsMax };
  await awaitAll(load);
  await stub.arrivals();
  return load;
};
