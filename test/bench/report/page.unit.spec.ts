import type { BenchReport } from './bench-report.js';
import { pageOf } from './page.js';

const side = {
  name: 'ours',
  label: 'loyaltyd',
  settings: 'defaults',
  rate: { median: 12_345, min: 12_000, max: 13_000, rounds: [12_345] },
  cpuMicrosecondsPerUnit: 50,
  serverCpuMicrosecondsPerUnit: 30,
  stubCpuMicrosecondsPerUnit: 20,
  allCpuMicrosecondsPerUnit: 100,
  walBytesPerUnit: null,
  statementsPerUnit: 0.02,
};
const bars = [
  { text: '>= 10 x a queue', atLeast: 10, reached: 12, spread: { min: 11, max: 13 }, holds: true },
  {
    ...{ text: '>= 2 x a queue', atLeast: 2, reached: 1.5, spread: { min: 1, max: 2 }, holds: false },
    asked: { of: 'ours', rate: 25_000 },
  },
  { text: 'p50 <= 15 ms', atMost: 15, reached: 20, spread: null, holds: false },
];
const report = {
  ok: true,
  command: 'npm run bench -- --write',
  startedAt: '2026-11-21T12:00:00.000Z',
  seconds: 600,
  machine: { processor: 'CPU', cores: 2, memoryGiB: 24, system: 'linux', node: 'v24', packages: { pg: '8.0.0' } },
  postgres: { server_version: '18.4', fsync: 'on' },
  measures: [
    {
      kind: 'comparison',
      name: 'delivery',
      unit: 'intents/s',
      ours: side,
      peers: [{ ...side, label: 'a queue', cpuMicrosecondsPerUnit: 30 }],
      ratios: {},
      bars,
      notes: ['A note.'],
      layers: { loyaltyd: [{ layer: 'undici', share: 60.5 }], 'a queue': [{ layer: 'Node', share: 100 }] },
      statements: [
        {
          ...{ text: 'SELECT $1 || $2', calls: 10, planMs: 5, executeMs: 20, walBytes: 0, pagesHit: 30, pagesRead: 0 },
          ...{ microsecondsPerUnit: 2.5, walBytesPerUnit: 0, plan: 'Result (actual rows=1)' },
        },
      ],
    },
    {
      kind: 'figures',
      name: 'memory',
      unit: 'MiB',
      columns: ['max'],
      rows: [{ label: '1,000 events', values: [123.4] }],
      further: { unit: 's', columns: ['worst'], rows: [{ label: 'one leaves', values: [2.5] }] },
      bars: [],
      notes: [],
    },
  ],
  failures: [{ name: 'disk', error: 'no space' }],
} as unknown as BenchReport;

describe('the page of the benchmark', () => {
  const page = pageOf(report);

  it('says first what made it, where and with what', () => {
    expect(page).toMatch(/^# Performance\n\nWritten by `npm run bench -- --write`, begun 2026-11-21T12:00:00.000Z/);
    expect(page).toContain('- Machine: CPU, 2 cores, 24 GiB, linux');
    expect(page).toContain('- Postgres: server_version=18.4, fsync=on');
  });

  it('shows every measure with its figures, its bars and its notes', () => {
    expect(page).toContain('| loyaltyd | 12,345 | 12,000 - 13,000 |  | 50 | 30 | 20 | 100 | 20,000 | - | 0.02 |');
    expect(page).toContain('| >= 10 x a queue | 12 | 11 - 13 | holds |');
    expect(page).toContain('| p50 <= 15 ms | 20 |  | **fails** |');
    expect(page).toContain('| >= 2 x a queue | 25,000 | 40 | 50 | 80 | 100 |');
    expect(page).toContain(
      '|  | loyaltyd | a queue |\n| --- | ---: | ---: |\n| undici | 30.25 | - |\n| Node | - | 30 |',
    );
    expect(page).toContain('| `SELECT $1 \\|\\| $2` | 10 | 2 | 0.5 | 2.5 | 0 | 3 | 0 |');
    expect(page).not.toContain('Result (actual rows=1)');
    expect(page).toContain('Settings of all: `defaults`');
    expect(page).toContain('- A note.');
    expect(page).toContain('## disk\n\nDid not come to its end');
    expect(page).toContain('| 1,000 events | 123.4 |\n\n| s | worst |\n| --- | ---: |\n| one leaves | 2.5 |');
    expect(page).toContain('No bar.');
  });
});
