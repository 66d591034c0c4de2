import type { BenchReport } from './bench-report.js';
import { pageOf, publishedTables } from './page.js';

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
  { text: '>= 2 x a queue', atLeast: 2, reached: 1.5, spread: { min: 1, max: 2 }, holds: false },
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
      peers: [{ ...side, name: 'queue', label: 'a queue', cpuMicrosecondsPerUnit: 30 }],
      ratios: { queue: { median: 1.25 } },
      bars,
      notes: ['A note.'],
      layers: { loyaltyd: [{ layer: 'undici', share: 60.5 }], 'a queue': [{ layer: 'Node', share: 100 }] },
      statements: [],
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

  it('answers the question of every measure, and says of every bar whether it holds', () => {
    expect(page).toContain(
      '(`delivery`) **loyaltyd: 12,345 intents/s** (12,000 - 13,000, 100 us of all processors each); a queue 12,345.',
    );
    expect(page).toContain('(`memory`) 1,000 events: max 123.4.');
    expect(page).toContain('| delivery | >= 10 x a queue | 12 (11 - 13) | holds |');
    expect(page).toContain('| delivery | p50 <= 15 ms | 20 | **fails** |');
    expect(page).toContain('`disk` did not come to its end');
  });
});

it('keeps every table beside the page, with settings, bars and notes, and nothing of single rounds', () => {
  const tables = publishedTables(report);
  expect(tables).toMatchObject({
    command: 'npm run bench -- --write',
    failures: ['disk'],
    scaling: null,
    measures: [
      {
        name: 'delivery',
        settings: { loyaltyd: 'defaults', 'a queue': 'defaults' },
        tables: [
          {
            columns: [
              'intents/s',
              'min',
              'max',
              'the first is, times',
              'CPU us',
              'server CPU us',
              'stub CPU us',
            ].concat(['all CPU us', '2 cores at best', 'WAL bytes', 'statements']),
            rows: [
              { label: 'loyaltyd', values: [12_345, 12_000, 13_000, null, 50, 30, 20, 100, 20_000, null, 0.02] },
              { label: 'a queue', values: [12_345, 12_000, 13_000, 1.25, 30, 30, 20, 100, 20_000, null, 0.02] },
            ],
          },
          {
            unit: 'CPU us',
            columns: ['loyaltyd', 'a queue'],
            rows: [
              { label: 'undici', values: [30.25, null] },
              { label: 'Node', values: [null, 30] },
            ],
          },
        ],
        bars: [
          { text: '>= 10 x a queue', reached: 12, min: 11, max: 13, holds: true },
          { holds: false },
          { reached: 20 },
        ],
        notes: ['A note.'],
      },
      {
        name: 'memory',
        tables: [
          { unit: 'MiB', columns: ['max'], rows: [{ label: '1,000 events', values: [123.4] }] },
          { unit: 's', columns: ['worst'], rows: [{ label: 'one leaves', values: [2.5] }] },
        ],
      },
    ],
  });
  expect(JSON.stringify(tables)).not.toContain('rounds');
});
