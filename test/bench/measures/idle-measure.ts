import { setTimeout as sleep } from 'node:timers/promises';

import { Undo } from '../../support/process/program.js';
import { apart, together } from '../infrastructure/bench-installation.js';
import { measureRate, openLoad, rateColumns, used } from '../infrastructure/daemon-load.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

/** Events a second: with so few each finds everybody asleep. */
const rareRate = 5;
const commonRate = 300;

const columns = [
  'idle: daemons, % of a core',
  'idle: Postgres, % of a core',
  'idle: transactions a second',
  `${rareRate} events/s: p50 ms`,
  `${rareRate} events/s: p99 ms`,
  `${commonRate} events/s: p50 ms`,
  `${commonRate} events/s: p99 ms`,
];

const notes = [
  'Idle: nothing has come for some seconds, and nothing comes. Once at each rate before, so that code is compiled.',
  'Times: from the acknowledgement of an event by the broker until the partner stub had read its call.',
];

const latencyOf = (values: readonly number[]): number[] =>
  ['p50 ms', 'p99 ms'].map((head) => values[rateColumns.indexOf(head)] ?? NaN);

/** The values of one way to share out the roles, by `columns`. */
const measure = async (tools: MeasureTools, roles: readonly string[], undo: Undo): Promise<number[]> => {
  const { settleSeconds, seconds } = tools.plan.idle;
  const load = await openLoad(tools, undo, { roles });
  for (const rate of [commonRate, rareRate]) await measureRate(load, rate);
  tools.say(`idle: ${seconds} s without an event`);
  await sleep(settleSeconds * 1_000);
  const before = await used(load);
  await sleep(seconds * 1_000);
  const after = await used(load);
  const [daemons = NaN, postgres = NaN, transactions = NaN] = after.map(
    (value, index) => (value - (before[index] ?? NaN)) / seconds,
  );
  const rare = await measureRate(load, rareRate);
  const common = await measureRate(load, commonRate);
  return [daemons / 10, postgres / 10, transactions, ...latencyOf(rare), ...latencyOf(common)];
};

/** What a daemon with nothing to do costs, and how soon it begins when something comes. */
export const idleMeasure = async (tools: MeasureTools): Promise<FiguresReport> => {
  const row = async (label: string, roles: readonly string[]): Promise<FiguresRow> => {
    const undo = new Undo();
    const values = await undo.after(() => measure(tools, roles, undo));
    return { label, values: values.map(rounded) };
  };
  const rows = [
    await row('all roles in one process', together),
    await row('each role in a process of its own', apart),
  ] as const;
  const cell = (index: 0 | 1, head: string): number => rows[index].values[columns.indexOf(head)] ?? NaN;
  const idle = cell(0, 'idle: daemons, % of a core') + cell(0, 'idle: Postgres, % of a core');
  const bars = [
    judgeFigure({ text: 'one daemon with nothing to do, and its Postgres: <= 1 % of a core', atMost: 1 }, idle),
    ...[rareRate, commonRate].map((rate) =>
      judgeFigure(
        {
          text: `acknowledged to applied, roles in processes of their own: p50 <= 10 ms at ${rate} events/s`,
          atMost: 10,
        },
        cell(1, `${rate} events/s: p50 ms`),
      ),
    ),
  ];
  return { kind: 'figures', name: 'idle', unit: 'without work', columns, rows, bars, notes };
};
