import { poolSize } from '../bench-parts.js';
import type { FiguresReport, FiguresRow, MeasureReport } from './bench-report.js';

/** Share of a processor that is planned with: the rest is for peaks, rebalances and a replica that is away. */
const loadPlanned = 0.6;
/** Partitions that one consumer works on at once (`partitionsConcurrentMax` of ingest). */
const partitionsPerReplica = 4;
const rates = [1_000, 10_000, 100_000] as const;
const membersPlanned = 100_000_000;
/** Tables with one row per member. */
const memberTables: ReadonlySet<string> = new Set(['member', 'member_key', 'lane']);

const secondsPerDay = 86_400;
const bytesPerGiB = 1024 ** 3;

/** What one event costs, as measured. */
export interface EventCosts {
  /** Milliseconds of processor time, from Kafka to the recorded answer. */
  readonly daemonMs: number;
  readonly postgresMs: number;
  /** Of write-ahead log, with many members: as the server is made, and with `wal_compression`. */
  readonly walBytes: number;
  readonly walBytesCompressed: number;
  readonly bytesPerIntent: number;
  readonly bytesPerMember: number;
}

interface ScalingRow {
  readonly label: string;
  /** For 1,000, 10,000 and 100,000 events per second. */
  readonly values: readonly number[];
}

const figuresOf = (measures: readonly MeasureReport[], name: string): FiguresReport | undefined =>
  measures.filter((measure) => measure.kind === 'figures').find((measure) => measure.name === name);

const isOfMember = ({ label }: FiguresRow): boolean => memberTables.has(label);

/** Null unless `end-to-end`, `log` and `disk` were all measured. */
export const costsOf = (measures: readonly MeasureReport[]): EventCosts | null => {
  const endToEnd = figuresOf(measures, 'end-to-end');
  const log = figuresOf(measures, 'log');
  const disk = figuresOf(measures, 'disk');
  if (endToEnd === undefined || log === undefined || disk === undefined) return null;
  const cell = ({ columns, rows }: FiguresReport, row: number, head: string): number =>
    rows[row]?.values[columns.indexOf(head)] ?? NaN;
  const total = (rows: readonly FiguresRow[], head: string): number =>
    rows.reduce((sum, { values }) => sum + (values[disk.columns.indexOf(head)] ?? 0), 0);
  const sizes = disk.rows.slice(0, -1);
  return {
    daemonMs: cell(endToEnd, 0, 'daemon CPU ms'),
    postgresMs: cell(endToEnd, 0, 'Postgres CPU ms'),
    walBytes: cell(log, 0, 'bytes an event'),
    walBytesCompressed: cell(log, 1, 'bytes an event'),
    bytesPerIntent: total(
      sizes.filter((row) => !isOfMember(row)),
      'all, bytes per intent',
    ),
    bytesPerMember: total(sizes.filter(isOfMember), 'all, bytes per member'),
  };
};

const oneDecimal = (value: number): number => Math.ceil(value * 10) / 10;

/** What so many events a second need, one intent each, with nothing retried. */
export const scalingRows = (costs: EventCosts): ScalingRow[] => {
  const row = (label: string, value: (rate: number) => number): ScalingRow => ({ label, values: rates.map(value) });
  const cores = (rate: number, ms: number): number => oneDecimal((rate * ms) / 1_000 / loadPlanned);
  const processes = (rate: number): number => Math.ceil(cores(rate, costs.daemonMs));
  return [
    row('processes with all roles', processes),
    row('partitions of a topic, at least', (rate) => partitionsPerReplica * processes(rate)),
    row('processors of daemons', (rate) => cores(rate, costs.daemonMs)),
    row('processors of Postgres', (rate) => cores(rate, costs.postgresMs)),
    row('connections to Postgres', (rate) => poolSize * processes(rate)),
    row('write-ahead log, MB/s', (rate) => oneDecimal((rate * costs.walBytes) / 1e6)),
    row('the same with wal_compression', (rate) => oneDecimal((rate * costs.walBytesCompressed) / 1e6)),
    row('disk, GiB a day at this rate', (rate) =>
      Math.ceil((rate * secondsPerDay * costs.bytesPerIntent) / bytesPerGiB),
    ),
  ];
};

/** Gibibytes of what is kept for each member, whatever the traffic. */
export const membersGiB = ({ bytesPerMember }: EventCosts): number =>
  Math.ceil((membersPlanned * bytesPerMember) / bytesPerGiB);

export const scalingHead: readonly string[] = ['', ...rates.map((rate) => `${rate.toLocaleString('en-US')} events/s`)];
