import { testBroker } from '#test-support';

import { Undo } from '../../support/process/program.js';
import { consumersBars } from '../consumers/bars.js';
import { columns, lagRow, lostAndDoubled, recoverLags } from '../consumers/lag.js';
import { PartitionFeeder } from '../consumers/partition-feeder.js';
import type { Fleet, Rebalance } from '../consumers/rebalances.js';
import { playRebalances, rebalanceTable } from '../consumers/rebalances.js';
import { RecordedWatch } from '../consumers/recorded-watch.js';
import { openInstallation } from '../infrastructure/bench-installation.js';
import { awaitMembers } from '../infrastructure/consumer-group.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import type { MeasureTools } from './measure.js';

const partitions = 24;
/** The last one: while processes come and go. */
const consumers = [1, 3, 12] as const;
const role = 'ingest';
const joinTimeoutMs = 120_000;

const notes = [
  `${partitions} partitions of each topic, one group, processes of one worker that only ingest; nobody delivers.`,
  'Events/minute: of a lag that comes to be at one moment, when all have joined (a transaction of the producer), from when some of it is recorded until all is. The first lag is not counted. CPU: of one event.',
  'Consumed again: every partition gets an event each 100 ms. The longest time from when the broker acknowledged one until Postgres was seen to have it (by a look each 50 ms), minus what it takes otherwise. Who leaves has been there longest, and leads the group.',
  'Worst and median: of the partition that waited longest, over all times. KafkaJS shares out eagerly: all stop while the group is shared out anew.',
  'Lost, doubled: the rows of Postgres beside the events produced; those of the rebalances are among those of the last row.',
];

const openFleet = async (tools: MeasureTools, processes: number, undo: Undo): Promise<Fleet> => {
  const { membersPerPartition } = tools.plan.consumers;
  const roles = Array.from({ length: processes }, () => role);
  const installation = await openInstallation(tools, partitions * membersPerPartition, undo, { roles, partitions });
  const { broker, purchases, groupId, databaseUrl } = installation;
  const watch = await RecordedWatch.open(databaseUrl, purchases, partitions);
  undo.add(() => watch.stop());
  const feeder = await PartitionFeeder.connect(broker, { topic: purchases, partitions, membersPerPartition });
  undo.add(() => feeder.stop());
  await awaitMembers({ brokers: broker.brokers, groupId }, processes, joinTimeoutMs);
  return { installation, daemons: [...installation.daemons], role, partitions, feeder, watch, say: tools.say };
};

interface Measured {
  readonly row: FiguresRow;
  readonly rebalances: readonly Rebalance[];
}

const measure = async (tools: MeasureTools, processes: number, undo: Undo): Promise<Measured> => {
  const fleet = await openFleet(tools, processes, undo);
  const recoveries = await recoverLags(tools, fleet);
  const isLast = processes === consumers.at(-1);
  const rebalances = isLast ? await playRebalances(fleet, tools.plan.consumers.rebalanceRounds) : [];
  const wrong = await lostAndDoubled(fleet);
  return { row: lagRow(processes, recoveries, [fleet.feeder.produced, ...wrong]), rebalances };
};

/** How fast several ingest processes of one group catch up, and how long they stand still when one comes or goes. */
export const consumersMeasure = async (tools: MeasureTools): Promise<FiguresReport> => {
  const { isReal, origin, version } = await testBroker();
  // The embedded one knows no transactions, and its rebalances say nothing about Kafka's.
  if (!isReal) throw new Error(`consumers wants a real Kafka; here is ${origin}`);
  const measured: Measured[] = [];
  for (const processes of consumers) {
    tools.say(`consumers: ${processes} ingest ${processes === 1 ? 'process' : 'processes'}`);
    const undo = new Undo();
    measured.push(await undo.after(() => measure(tools, processes, undo)));
  }
  const lag = { unit: 'catching up', columns, rows: measured.map(({ row }) => row) };
  const rebalances = measured.flatMap((each) => each.rebalances);
  const further = rebalanceTable(rebalances, consumers.at(-1) ?? NaN);
  const bars = consumersBars(lag, further);
  return {
    ...{ kind: 'figures', name: 'consumers', ...lag, further, bars },
    notes: [...notes, `Kafka ${version} (${origin}).`],
  };
};
