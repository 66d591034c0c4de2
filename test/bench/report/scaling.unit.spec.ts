import type { MeasureReport } from './bench-report.js';
import { costsOf, membersGiB, scalingRows } from './scaling.js';

const costs = {
  ingestRate: 10_000,
  deliveryRate: 5_000,
  ingestCpu: 60,
  deliveryCpu: 120,
  serverCpu: 90,
  walBytes: 3_600,
  bytesPerIntent: 2_000,
  bytesPerMember: 500,
};

const side = (median: number, cpu: number, server: number | null) => ({
  rate: { median },
  cpuMicrosecondsPerUnit: cpu,
  serverCpuMicrosecondsPerUnit: server,
  walBytesPerUnit: 1_000,
});
const measures = (server: number | null): readonly MeasureReport[] =>
  [
    { kind: 'comparison', name: 'delivery', ours: side(5_000, 120, 50) },
    { kind: 'comparison', name: 'ingest', ours: side(10_000, 60, server) },
    {
      kind: 'figures',
      name: 'disk',
      rows: [
        { label: 'intent_event', values: [500, 200, 700, 7_000] },
        { label: 'lane', values: [20, 10, 30, 300] },
        { label: 'all tables', values: [520, 210, 730, 7_300] },
      ],
    },
  ] as unknown as readonly MeasureReport[];

describe('what a rate needs', () => {
  it('is calculated from what one event costs, with room to spare', () => {
    const rows = new Map(scalingRows(costs).map(({ label, values }) => [label, values]));
    expect(rows.get('replicas of ingest')).toEqual([1, 2, 17]);
    expect(rows.get('replicas of delivery')).toEqual([1, 4, 34]);
    expect(rows.get('partitions of a topic, at least')).toEqual([4, 8, 68]);
    expect(rows.get('processors of delivery')).toEqual([0.2, 2, 20]);
    expect(rows.get('processors of Postgres')).toEqual([0.2, 1.5, 15]);
    expect(rows.get('connections to Postgres')).toEqual([20, 60, 510]);
    expect(rows.get('write-ahead log, MB/s')).toEqual([3.6, 36, 360]);
    expect(membersGiB(costs)).toBe(47);
  });

  it('takes its costs from the measures, what grows with members apart from what grows with intents', () => {
    expect(costsOf(measures(40))).toEqual({ ...costs, walBytes: 2_000, bytesPerIntent: 700, bytesPerMember: 300 });
  });

  it('is not told where a cost was not measured', () => {
    expect(costsOf(measures(null))).toBeNull();
    expect(costsOf(measures(40).slice(1))).toBeNull();
  });
});
