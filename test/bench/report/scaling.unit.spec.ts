import { billMeasure } from '../measures/bill-measure.js';
import type { MeasureTools } from '../measures/measure.js';
import type { MeasureReport } from './bench-report.js';
import { costsOf, membersGiB, scalingRows } from './scaling.js';

const costs = {
  daemonMs: 0.3,
  postgresMs: 0.2,
  walBytes: 30_000,
  walBytesCompressed: 9_000,
  bytesPerIntent: 700,
  bytesPerMember: 300,
};

const figures = (
  name: string,
  columns: readonly string[],
  rows: Readonly<Record<string, readonly number[]>>,
): object => ({
  kind: 'figures',
  name,
  columns,
  rows: Object.entries(rows).map(([label, values]) => ({ label, values })),
});

const diskColumns = ['rows', 'indexes', 'all, bytes per intent', 'all, bytes per member'];
const measures = [
  figures('end-to-end', ['events/s', 'daemon CPU ms', 'Postgres CPU ms'], {
    sustained: [4_000, 0.3, 0.2],
    half: [2_000, 0.5, 0.3],
  }),
  figures('rates', ['daemon CPU ms', 'Postgres CPU ms'], { '300/s, median of 5': [1.2, 0.6], '2,000/s': [0.4, 0.5] }),
  figures('log', ['bytes an event', 'whole pages an event'], {
    'wal_compression=off': [30_000, 7],
    'wal_compression=lz4': [9_000, 7],
  }),
  figures('disk', diskColumns, {
    intent_event: [500, 200, 700, 7_000],
    lane: [20, 10, 30, 300],
    'all tables': [520, 210, 730, 7_300],
  }),
] as unknown as readonly MeasureReport[];

describe('what a rate needs', () => {
  it('is calculated from what one event costs, with room to spare', () => {
    const rows = new Map(scalingRows(costs).map(({ label, values }) => [label, values]));
    expect(rows.get('processes with all roles')).toEqual([1, 5, 50]);
    expect(rows.get('partitions of a topic, at least')).toEqual([4, 20, 200]);
    expect(rows.get('processors of daemons')).toEqual([0.5, 5, 50]);
    expect(rows.get('processors of Postgres')).toEqual([0.4, 3.4, 33.4]);
    expect(rows.get('connections to Postgres')).toEqual([10, 50, 500]);
    expect(rows.get('write-ahead log, MB/s')).toEqual([30, 300, 3_000]);
    expect(rows.get('the same with wal_compression')).toEqual([9, 90, 900]);
    expect(membersGiB(costs)).toBe(28);
  });

  it('takes its costs from the measures, what grows with members apart from what grows with intents', () => {
    expect(costsOf(measures)).toEqual(costs);
  });

  it('is not told where a cost was not measured', () => {
    for (const name of ['end-to-end', 'log', 'disk']) {
      expect(costsOf(measures.filter((measure) => measure.name !== name))).toBeNull();
    }
  });
});

describe('the bill of a million events', () => {
  const tools = (earlier: readonly MeasureReport[]): MeasureTools => ({ earlier }) as unknown as MeasureTools;

  it('is calculated from what the other measures of the run found', async () => {
    const { rows } = await billMeasure(tools(measures));
    expect(rows).toEqual([
      { label: 'core-hours, 300/s, median of 5', values: [0.5] },
      { label: 'core-hours, 2,000/s', values: [0.25] },
      { label: 'core-hours, sustained', values: [0.1389] },
      { label: 'log, GB', values: [30] },
      { label: 'log with wal_compression, GB', values: [9] },
      { label: 'kept, GiB', values: [0.6519] },
    ]);
  });

  it('is not made where one of them is missing', async () => {
    await expect(billMeasure(tools(measures.slice(1)))).rejects.toThrow('end-to-end, rates, log and disk');
  });
});
