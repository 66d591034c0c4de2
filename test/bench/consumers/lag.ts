import { runSql } from '../infrastructure/bench-postgres.js';
import { used } from '../infrastructure/daemon-load.js';
import type { MeasureTools } from '../measures/measure.js';
import type { FiguresRow } from '../report/bench-report.js';
import { median, rounded } from '../statistics.js';
import type { Fleet } from './rebalances.js';
import { areRecorded, recoveredPerMinute } from './recovery.js';

export const columns = [
  'events/minute',
  'least',
  'most',
  'daemons CPU us',
  'Postgres CPU us',
  'events',
  'lost',
  'doubled',
];

/** Catching up with one lag: events recorded a minute, and microseconds of an event, of the daemons and of Postgres. */
export type Recovery = readonly [perMinute: number, daemonsUs: number, postgresUs: number];

const usPerMs = 1_000;

const recover = async (tools: MeasureTools, fleet: Fleet): Promise<Recovery> => {
  const { watch, feeder, daemons, partitions } = fleet;
  const { eventsPerPartition } = tools.plan.consumers;
  const parts = { postgres: tools.postgres, daemons };
  const { spans, appear } = await feeder.prepareLag(eventsPerPartition);
  const from = watch.looks.length;
  const before = await used(parts);
  await appear();
  const isSeen = (): boolean => areRecorded(watch.looks.at(-1), spans);
  await watch.until(isSeen, 'the end of the lag', tools.plan.roundSecondsMax * 1_000);
  const after = await used(parts);
  const [daemonsUs = NaN, postgresUs = NaN] = after.map(
    (value, index) => (usPerMs * (value - (before[index] ?? NaN))) / (partitions * eventsPerPartition),
  );
  return [recoveredPerMinute(watch.looks.slice(from), spans), daemonsUs, postgresUs];
};

/** One after the other; the first, in which code is compiled, is not among them. */
export const recoverLags = async (tools: MeasureTools, fleet: Fleet): Promise<readonly Recovery[]> => {
  const { rounds } = tools.plan.consumers;
  const recoveries: Recovery[] = [];
  for (let round = 0; round <= rounds; round += 1) recoveries.push(await recover(tools, fleet));
  return recoveries.slice(1);
};

interface Recorded {
  readonly rows: number;
  readonly purchases: number;
}

/** How many of the topic's events left no row, and how many rows there are too many. */
export const lostAndDoubled = async ({ installation, feeder }: Fleet): Promise<readonly [number, number]> => {
  const text =
    'SELECT count(*)::int AS rows, count(DISTINCT purchase_id)::int AS purchases FROM intent WHERE topic = $1';
  const [found] = await runSql<Recorded>(installation.databaseUrl, text, [installation.purchases]);
  const { rows, purchases } = found ?? { rows: NaN, purchases: NaN };
  return [feeder.produced - purchases, rows - purchases];
};

export const lagRow = (
  processes: number,
  recoveries: readonly Recovery[],
  counts: readonly [events: number, lost: number, doubled: number],
): FiguresRow => {
  const rates = recoveries.map(([rate]) => rate);
  const values = [
    median(rates),
    Math.min(...rates),
    Math.max(...rates),
    median(recoveries.map(([, daemonsUs]) => daemonsUs)),
    median(recoveries.map(([, , postgresUs]) => postgresUs)),
  ];
  const label = `${processes} ingest ${processes === 1 ? 'process' : 'processes'}`;
  return { label, values: [...values.map(rounded), ...counts] };
};
