import { poolSize } from '../bench-parts.js';
import type { ComparisonReport, FiguresReport, FiguresRow, MeasureReport } from './bench-report.js';

/** Share of a processor that is planned with: the rest is for peaks, rebalances and a replica that is away. */
const loadPlanned = 0.6;
/** Partitions that one consumer works on at once (`partitionsConcurrentMax` of ingest). */
const partitionsPerReplica = 4;
const rates = [1_000, 10_000, 100_000] as const;
const membersPlanned = 100_000_000;
/** Tables with one row per member. */
const memberTables: ReadonlySet<string> = new Set(['member', 'member_key', 'lane']);

/** Of the measure `disk`. */
const bytesPerIntentColumn = 2;
const bytesPerMemberColumn = 3;
const secondsPerDay = 86_400;
const bytesPerGiB = 1024 ** 3;

/** What one event costs, as measured. */
interface EventCosts {
  /** Events per second of one process. */
  readonly ingestRate: number;
  readonly deliveryRate: number;
  /** Microseconds of processor time. */
  readonly ingestCpu: number;
  readonly deliveryCpu: number;
  /** Of Postgres, for recording and delivering. */
  readonly serverCpu: number;
  readonly walBytes: number;
  readonly bytesPerIntent: number;
  readonly bytesPerMember: number;
}

interface ScalingRow {
  readonly label: string;
  /** For 1,000, 10,000 and 100,000 events per second. */
  readonly values: readonly number[];
}

const comparisonOf = (measures: readonly MeasureReport[], name: string): ComparisonReport | undefined =>
  measures.filter((measure) => measure.kind === 'comparison').find((measure) => measure.name === name);

const figuresOf = (measures: readonly MeasureReport[], name: string): FiguresReport | undefined =>
  measures.filter((measure) => measure.kind === 'figures').find((measure) => measure.name === name);

const isOfMember = ({ label }: FiguresRow): boolean => memberTables.has(label);

const total = (rows: readonly FiguresRow[], column: number): number =>
  rows.reduce((sum, { values }) => sum + (values[column] ?? 0), 0);

/** Null unless delivery, ingest and disk were all measured, with the server on the same machine. */
export const costsOf = (measures: readonly MeasureReport[]): EventCosts | null => {
  const delivery = comparisonOf(measures, 'delivery')?.ours;
  const ingest = comparisonOf(measures, 'ingest')?.ours;
  const disk = figuresOf(measures, 'disk');
  if (delivery === undefined || ingest === undefined || disk === undefined) return null;
  const sides = [ingest, delivery];
  if (sides.some((side) => side.serverCpuMicrosecondsPerUnit === null)) return null;
  const sizes = disk.rows.slice(0, -1);
  return {
    ingestRate: ingest.rate.median,
    deliveryRate: delivery.rate.median,
    ingestCpu: ingest.cpuMicrosecondsPerUnit,
    deliveryCpu: delivery.cpuMicrosecondsPerUnit,
    serverCpu: sides.reduce((sum, side) => sum + (side.serverCpuMicrosecondsPerUnit ?? 0), 0),
    walBytes: sides.reduce((sum, side) => sum + (side.walBytesPerUnit ?? 0), 0),
    bytesPerIntent: total(
      sizes.filter((row) => !isOfMember(row)),
      bytesPerIntentColumn,
    ),
    bytesPerMember: total(sizes.filter(isOfMember), bytesPerMemberColumn),
  };
};

const oneDecimal = (value: number): number => Math.ceil(value * 10) / 10;

/** What so many events a second need, one intent each, with nothing retried. */
export const scalingRows = (costs: EventCosts): ScalingRow[] => {
  const row = (label: string, value: (rate: number) => number): ScalingRow => ({ label, values: rates.map(value) });
  const cores = (rate: number, microseconds: number): number => oneDecimal((rate * microseconds) / 1e6 / loadPlanned);
  const ingests = (rate: number): number => Math.ceil(rate / (costs.ingestRate * loadPlanned));
  const deliveries = (rate: number): number => Math.ceil(rate / (costs.deliveryRate * loadPlanned));
  return [
    row('replicas of ingest', ingests),
    row('replicas of delivery', deliveries),
    row('partitions of a topic, at least', (rate) => partitionsPerReplica * ingests(rate)),
    row('processors of ingest', (rate) => cores(rate, costs.ingestCpu)),
    row('processors of delivery', (rate) => cores(rate, costs.deliveryCpu)),
    row('processors of Postgres', (rate) => cores(rate, costs.serverCpu)),
    row('connections to Postgres', (rate) => poolSize * (ingests(rate) + deliveries(rate))),
    row('write-ahead log, MB/s', (rate) => oneDecimal((rate * costs.walBytes) / 1e6)),
    row('disk, GiB a day at this rate', (rate) =>
      Math.ceil((rate * secondsPerDay * costs.bytesPerIntent) / bytesPerGiB),
    ),
  ];
};

/** Gibibytes of what is kept for each member, whatever the traffic. */
export const membersGiB = ({ bytesPerMember }: EventCosts): number =>
  Math.ceil((membersPlanned * bytesPerMember) / bytesPerGiB);

export const scalingHead: readonly string[] = ['', ...rates.map((rate) => `${rate.toLocaleString('en-US')} events/s`)];
