import { machineMs } from '../child.js';
import type { BenchDaemon, BenchInstallation } from '../infrastructure/bench-installation.js';
import { awaitMembers } from '../infrastructure/consumer-group.js';
import type { FiguresTable } from '../report/bench-report.js';
import { median, percentile, rounded } from '../statistics.js';
import type { Evidence } from './gaps.js';
import { gapsMs, isEveryPartitionAt, ordinaryMs } from './gaps.js';
import { LightTraffic } from './light-traffic.js';
import type { PartitionFeeder } from './partition-feeder.js';
import type { RecordedWatch } from './recorded-watch.js';

export const happenings = ['one more joins', 'one is stopped (SIGTERM)', 'one is killed (SIGKILL)'] as const;
type Happening = (typeof happenings)[number];

/** One after the other; they end with as many processes as they began with. */
const oneRound: readonly Happening[] = [happenings[0], happenings[1], happenings[0], happenings[2]];

export const columns = ['worst s', 'median s', 'of all partitions, median s', 'ordinary latency ms', 'times'];

/** Events of each partition: three seconds of them. */
const calmEvents = 30;
/** As long again: a group that seems to be at rest may be about to share out anew. */
const afterEvents = 30;
/** Whatever takes longer hangs. */
const groupMsMax = 120_000;
const recordedMsMax = 120_000;

/** What one of them did. */
export interface Rebalance {
  readonly happening: Happening;
  /** For each partition, how long it was not consumed. */
  readonly gaps: readonly number[];
  readonly ordinary: number;
}

export interface Fleet {
  readonly installation: BenchInstallation;
  /** The oldest one first. */
  readonly daemons: BenchDaemon[];
  readonly role: string;
  readonly partitions: number;
  readonly feeder: PartitionFeeder;
  readonly watch: RecordedWatch;
  readonly say: (text: string) => void;
}

/** The oldest goes, as in a rolling upgrade: it is the one that has led the group so far. */
const acts: Readonly<Record<Happening, (fleet: Fleet) => Promise<void>>> = {
  'one more joins': async ({ installation, daemons, role }) => {
    daemons.push(await installation.start(role));
  },
  'one is stopped (SIGTERM)': async ({ daemons }) => daemons.shift()?.stop(),
  'one is killed (SIGKILL)': async ({ daemons }) => daemons.shift()?.kill(),
};

const evidenceSince = ({ watch }: Fleet, traffic: LightTraffic, from: number): Evidence => ({
  events: traffic.events.slice(from),
  looks: watch.looks,
});

/** Resolves when so many events of every partition are recorded that were produced from now on. */
const awaitEvents = async (fleet: Fleet, traffic: LightTraffic, wanted: number): Promise<void> => {
  const from = traffic.events.length;
  const isSeen = (): boolean => isEveryPartitionAt(evidenceSince(fleet, traffic, from), fleet.partitions, wanted);
  await fleet.watch.until(isSeen, `${wanted} events of every partition`, recordedMsMax);
};

const play = async (fleet: Fleet, traffic: LightTraffic, happening: Happening): Promise<Rebalance> => {
  const { partitions, daemons } = fleet;
  const from = traffic.events.length;
  await awaitEvents(fleet, traffic, calmEvents);
  const ordinary = ordinaryMs(evidenceSince(fleet, traffic, from));
  const since = machineMs();
  await acts[happening](fleet);
  const { broker, groupId } = fleet.installation;
  await awaitMembers({ brokers: broker.brokers, groupId }, daemons.length, groupMsMax);
  await awaitEvents(fleet, traffic, afterEvents);
  return { happening, ordinary, gaps: gapsMs(evidenceSince(fleet, traffic, from), { partitions, since, ordinary }) };
};

/** Lets processes come and go while a little is produced, until everything of it is recorded. */
export const playRebalances = async (fleet: Fleet, rounds: number): Promise<readonly Rebalance[]> => {
  const traffic = new LightTraffic(fleet.feeder);
  const rebalances: Rebalance[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      fleet.say(`consumers: processes come and go, round ${round} of ${rounds}`);
      for (const happening of oneRound) rebalances.push(await play(fleet, traffic, happening));
    }
  } finally {
    await traffic.stop();
  }
  const { looks } = fleet.watch;
  const perPartition = traffic.events.length / fleet.partitions;
  const isSeen = (): boolean => isEveryPartitionAt({ events: traffic.events, looks }, fleet.partitions, perPartition);
  await fleet.watch.until(isSeen, 'everything that was produced', recordedMsMax);
  return rebalances;
};

const msPerSecond = 1_000;

/** The columns, of everything that happened in the same way. */
const valuesOf = (rebalances: readonly Rebalance[]): number[] => {
  // Until every partition is consumed again: the one that waits longest decides.
  const longest = rebalances.map(({ gaps }) => percentile(gaps, 1));
  const all = rebalances.flatMap(({ gaps }) => gaps);
  const seconds = [percentile(longest, 1), median(longest), median(all)].map((ms) => ms / msPerSecond);
  return [...seconds, median(rebalances.map(({ ordinary }) => ordinary)), rebalances.length];
};

export const rebalanceTable = (rebalances: readonly Rebalance[], processes: number): FiguresTable => ({
  unit: `consumed again, ${processes} processes`,
  columns,
  rows: happenings.map((happening) => ({
    label: happening,
    values: valuesOf(rebalances.filter((each) => each.happening === happening)).map(rounded),
  })),
});
